// The pipeline against the reference implementation's answers.
#include "reference_vectors.hpp"
#include "bodies.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace nodesieve;
using namespace nodesieve::test;

namespace {

unsigned status_of(errc code) {
    if (code == errc::success) return 200;
    return code == errc::body_too_large || code == errc::too_many_nodes ? 413 : 400;
}

std::string disagreement(reference_vector const& v, outcome const& seen) {
    const auto status = status_of(seen.code);
    return disagreement(v, status, status == 200 ? seen.reply : std::string(sentence(seen.code)));
}

setting the_documents_limits() {
    setting s;
    s.bounds = {.max_body_bytes = 4 << 20, .max_nodes = 512};
    return s;
}

/// Without the byte offset, which counts the white space of run_at_block_end.
outcome without_offset(outcome o) {
    o.detail = o.detail.substr(0, o.detail.find("byte"));
    return o;
}

/// Some 150 places spread over the body, all of them in a short one.
std::size_t stride(std::string const& body) { return std::max<std::size_t>(1, body.size() / 150); }

}  // namespace

BOOST_AUTO_TEST_SUITE(reference_vectors_test)

BOOST_AUTO_TEST_CASE(there_are_799_vectors) { BOOST_TEST(reference_vectors().size() == 799U); }

BOOST_AUTO_TEST_CASE(agrees_with_every_vector) {
    for (auto const& v : reference_vectors()) BOOST_TEST_CONTEXT(v.family << ": " << v.name)
    BOOST_TEST(disagreement(v, run(v.what, v.body)) == "");
}

BOOST_AUTO_TEST_CASE(agrees_exactly_on_limits_when_the_documents_are_set) {
    for (auto v : reference_vectors()) {
        if (v.family != "limits") continue;
        v.allow = allowance::none;
        BOOST_TEST_CONTEXT(v.name)
        BOOST_TEST(disagreement(v, run(v.what, v.body, the_documents_limits())) == "");
    }
}

BOOST_AUTO_TEST_CASE(gives_the_same_answer_byte_by_byte) {
    for (auto const& v : reference_vectors()) BOOST_TEST_CONTEXT(v.family << ": " << v.name)
    BOOST_TEST(run(v.what, v.body, {}, cut::bytewise) == run(v.what, v.body));
}

BOOST_AUTO_TEST_CASE(gives_the_same_answer_cut_in_two) {
    for (auto const& v : reference_vectors()) {
        const auto whole = run(v.what, v.body);
        for (std::size_t at = 0; at <= v.body.size(); at += stride(v.body))
            BOOST_TEST_CONTEXT(v.family << ": " << v.name << ", cut at " << at)
        BOOST_TEST(run_cut_at(v.what, v.body, at) == whole);
    }
}

BOOST_AUTO_TEST_CASE(gives_the_same_answer_wherever_a_block_ends) {
    for (auto const& v : reference_vectors()) {
        const auto whole = without_offset(run(v.what, v.body));
        for (std::size_t at = 0; at <= v.body.size(); at += stride(v.body)) {
            const auto seen = without_offset(run_at_block_end(v.what, v.body, at));
            if (seen.code == whole.code && seen.reply == whole.reply) continue;
            BOOST_TEST_CONTEXT(v.family << ": " << v.name << ", block ends at " << at)
            BOOST_TEST(seen == whole);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
