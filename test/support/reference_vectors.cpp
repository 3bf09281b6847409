#include "reference_vectors.hpp"

#include "bodies.hpp"

#include <openssl/evp.h>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <sstream>

namespace nodesieve::test {
namespace {

namespace json = boost::json;

std::string decode_base64(std::string_view text) {
    std::string bytes(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<unsigned char const*>(text.data()),
                                     static_cast<int>(text.size()));
    BOOST_REQUIRE(size >= 0);
    const auto padding = static_cast<std::size_t>(std::ranges::count(text, '='));
    bytes.resize(static_cast<std::size_t>(size) - padding);
    return bytes;
}

allowance allowance_of(json::object const& row) {
    auto const* const allow = row.if_contains("allow");
    if (allow == nullptr) return allowance::none;
    if (*allow == "accept") return allowance::accept;
    if (*allow == "refuse") return allowance::refuse;
    BOOST_REQUIRE(*allow == "either");
    return allowance::either;
}

/// The value of the last key that equals `key` in any letter case.
json::value const* find_field(json::value const& object, std::string_view key) {
    json::value const* found = nullptr;
    if (!object.is_object()) return found;
    for (auto const& entry : object.get_object())
        if (boost::algorithm::iequals(std::string_view(entry.key()), key)) found = &entry.value();
    return found;
}

/// What the vectors hold of a filter's reply.
json::value summary(json::value const& reply) {
    json::array passed;
    for (auto const& node : reply.at("Nodes").at("items").as_array()) {
        auto const* const metadata = find_field(node, "metadata");
        BOOST_REQUIRE(metadata != nullptr);
        passed.push_back(*find_field(*metadata, "name"));
    }
    return {{"passed", passed},
            {"failedAndUnresolvable", reply.at("FailedAndUnresolvableNodes")},
            {"failed", reply.at("FailedNodes")},
            {"error", reply.at("Error")},
            {"nodeNames", reply.at("NodeNames")}};
}

}  // namespace

reference_vector reference_vector_of(json::object const& row) {
    return {json::value_to<std::string>(row.at("family")),
            json::value_to<std::string>(row.at("name")),
            row.at("verb") == "filter" ? verb::filter : verb::prioritize,
            allowance_of(row),
            decode_base64(row.at("body").as_string()),
            json::value_to<unsigned>(row.at("status")),
            row.at("reply")};
}

std::vector<reference_vector> const& reference_vectors() {
    static const auto vectors = [] {
        std::vector<reference_vector> result;
        std::istringstream lines(test_data("vectors/reference.jsonl"));
        for (std::string line; std::getline(lines, line);)
            result.push_back(reference_vector_of(json::parse(line).as_object()));
        return result;
    }();
    return vectors;
}

std::string disagreement(reference_vector const& vector, unsigned status, std::string_view body) {
    const bool refused = status != 200;
    if (vector.allow == allowance::either && (status == 200 || status == 400)) return {};
    if (vector.allow == allowance::accept && !refused) return {};
    if (vector.allow == allowance::refuse && status == 400) return {};
    if (status != vector.status)
        return "status " + std::to_string(status) + ", the reference's is " +
               std::to_string(vector.status);
    if (refused) {
        const auto line = std::string(body.substr(0, body.find('\n'))) + '\n';
        if (vector.reply != json::value(line)) return "first line: " + line;
        return {};
    }
    boost::system::error_code ec;
    auto reply = json::parse({body.data(), body.size()}, ec);
    if (ec) return "the reply is no JSON: " + ec.message();
    if (vector.what == verb::filter) reply = summary(reply);
    if (reply != vector.reply)
        return "reply " + json::serialize(reply) + ", the reference's is " +
               json::serialize(vector.reply);
    return {};
}

}  // namespace nodesieve::test
