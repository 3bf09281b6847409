// Bodies composed of real nodes: what is right comes from the generator's choices, and from the
// reference implementation itself where NODESIEVE_ORACLE names it (./dev test builds it if it can).
#include "bodies.hpp"
#include "generator.hpp"
#include "reference_vectors.hpp"
#include "reply_check.hpp"
#include "temporary_directory.hpp"

#include <openssl/evp.h>
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

using namespace nodesieve;
using namespace nodesieve::test;
namespace json = boost::json;

namespace {

bench::generated_args compose(std::size_t nodes, std::uint64_t seed, std::optional<int> min_mib) {
    static const bench::generator made({.folder = NODESIEVE_TEST_DATA "/nodes"});
    bench::generator_params params;
    params.nodes = nodes;
    params.seed = seed;
    params.min_mib = min_mib;
    return made.generate(params);
}

std::string base64(std::string const& bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<unsigned char const*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(composed_bodies_test)

BOOST_AUTO_TEST_CASE(answers_5000_real_nodes_right_and_byte_for_byte) {
    for (const auto minimum : {std::optional<int>{}, std::optional<int>{40960}}) {
        const auto args = compose(5000, 7, minimum);
        for (const bool in_segments : {false, true}) {
            const auto answer = [&](verb v) {
                return in_segments ? run_in_segments(v, args.body, true) : run(v, args.body);
            };
            BOOST_TEST(bench::check_filter_reply(args, answer(verb::filter).reply) == "");
            BOOST_TEST(bench::check_prioritize_reply(args, answer(verb::prioritize).reply) == "");
        }
    }
}

BOOST_AUTO_TEST_CASE(a_changed_label_is_noticed) {
    auto args = compose(50, 7, 40960);
    const std::string label = R"("training.example.com/gpu-memory-mib":"81920")";
    const auto at = args.body.find(label);
    BOOST_REQUIRE(at != std::string::npos);
    args.body.replace(at, label.size(), R"("training.example.com/gpu-memory-mib":"16384")");
    BOOST_TEST(bench::check_filter_reply(args, run(verb::filter, args.body).reply) != "");
    BOOST_TEST(bench::check_prioritize_reply(args, run(verb::prioritize, args.body).reply) != "");
}

BOOST_AUTO_TEST_CASE(answers_as_the_reference_does_where_it_is_there) {
    char const* const oracle = std::getenv("NODESIEVE_ORACLE");
    if (oracle == nullptr) {
        BOOST_TEST_MESSAGE("skipped: NODESIEVE_ORACLE is not set");
        return;
    }
    const temporary_directory directory;
    std::string requests;
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
        for (const auto* v : {"filter", "prioritize"})
            requests +=
                json::serialize(json::value{
                    {"family", "composed"},
                    {"name", "seed " + std::to_string(seed)},
                    {"verb", v},
                    {"body",
                     base64(
                         compose(200, seed, seed % 3 == 0 ? std::optional<int>{} : 40960).body)}}) +
                "\n";
    const auto in = directory.write("requests", requests);
    const auto out = directory.path() / "answers";
    const auto command = '"' + std::string(oracle) + "\" <" + in.native() + " >" + out.native();
    BOOST_REQUIRE(std::system(command.c_str()) == 0);
    std::ifstream answers(out);
    std::size_t count = 0;
    for (std::string line; std::getline(answers, line); ++count) {
        const auto v = reference_vector_of(json::parse(line).as_object());
        BOOST_REQUIRE_EQUAL(v.status, 200U);
        BOOST_TEST_CONTEXT(v.name)
        BOOST_TEST(disagreement(v, 200, run(v.what, v.body).reply) == "");
    }
    BOOST_TEST(count == 20U);
}

BOOST_AUTO_TEST_SUITE_END()
