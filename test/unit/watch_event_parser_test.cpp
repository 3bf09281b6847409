#include <nodesieve/watch_event_parser.hpp>

#include "bodies.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace nodesieve;

namespace {

/// Writes down what it is handed out, an event a line.
struct journal final : watch_event_sink {
    std::string lines;

    void on_event(watch_event const& event) override {
        lines.append(slug(event.type));
        if (event.status != nullptr) {
            lines += " code " + std::to_string(event.status->code) + " reason " +
                     event.status->reason + " message " + event.status->message + "\n";
            return;
        }
        lines.append(" ").append(event.name) += '=' + std::to_string(event.memory_mib);
        lines.append(" rv ").append(event.resource_version).append("\n");
    }
};

struct outcome {
    std::string lines;
    std::string failure;
    bool between_events;
};

/// Reads a stream in pieces of `sizes`, the last of which repeats.
outcome read(std::string_view text, std::vector<std::size_t> const& sizes = {SIZE_MAX}) {
    const policy_config config;
    journal seen;
    watch_event_parser parser(config, seen);
    parser.start();
    for (std::size_t i = 0; !text.empty(); ++i) {
        const auto piece = text.substr(0, sizes[std::min(i, sizes.size() - 1)]);
        if (!parser.write(piece)) break;
        text.remove_prefix(piece.size());
    }
    return {seen.lines, parser.failure(), parser.between_events()};
}

const std::string label = R"("training.example.com/gpu-memory-mib")";

const std::string added = R"({"type":"ADDED","object":{"kind":"Node","metadata":{"name":"a",)"
                          R"("labels":{)" +
                          label +
                          R"(:"81920"},"resourceVersion":"11"},"spec":{"type":"x","object":[1]}}})";
const std::string modified =
    R"({"object":{"metadata":{"resourceVersion":"12","name":"\u0062"}},"x":[{}],"type":"MODIFIED"})";
const std::string deleted =
    R"({"type":"DELETED","object":{"metadata":{"name":"a","resourceVersion":"13","labels":{)" +
    label + R"(:"1"}}}})";
const std::string bookmark =
    R"({"type":"BOOKMARK","object":{"kind":"Node","metadata":{"resourceVersion":"20",)"
    R"("creationTimestamp":null},"spec":{},"status":{"nodeInfo":{"machineID":""}}}})";
const std::string error =
    R"({"type":"ERROR","object":{"kind":"Status","metadata":{},"status":"Failure",)"
    R"j("message":"too old resource version: 1 (2)","reason":"Expired","code":410}})j";

const std::string stream =
    added + '\n' + modified + "\r\n \n" + deleted + bookmark + '\n' + error + '\n';

const std::string expected_lines =
    "added a=81920 rv 11\n"
    "modified b=0 rv 12\n"
    "deleted a=1 rv 13\n"
    "bookmark =0 rv 20\n"
    "error code 410 reason Expired message too old resource version: 1 (2)\n";

bool contains(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(watch_event_parser_test)

BOOST_AUTO_TEST_CASE(reads_each_type_of_event) {
    const auto result = read(stream);
    BOOST_TEST(result.lines == expected_lines);
    BOOST_TEST(result.failure == "");
    BOOST_TEST(result.between_events);
}

BOOST_AUTO_TEST_CASE(reads_the_same_however_it_is_cut) {
    BOOST_TEST(read(stream, {1}).lines == expected_lines);
    for (std::size_t at = 1; at < stream.size(); ++at) {
        BOOST_TEST_CONTEXT("cut at " << at) {
            BOOST_TEST(read(stream, {at, SIZE_MAX}).lines == expected_lines);
        }
    }
}

BOOST_AUTO_TEST_CASE(hands_out_an_event_with_its_last_byte) {
    const auto first = stream.substr(0, stream.find('\n'));
    BOOST_TEST(read(first).lines == "added a=81920 rv 11\n");
    BOOST_TEST(read(first).between_events);
    for (std::size_t size = 1; size < first.size(); ++size) {
        BOOST_TEST_CONTEXT("size " << size) {
            const auto cut = read(first.substr(0, size));
            BOOST_TEST(cut.lines == "");
            BOOST_TEST(cut.failure == "");
            BOOST_TEST(!cut.between_events);
        }
    }
    BOOST_TEST(read("").between_events);
    BOOST_TEST(read(" \n").between_events);
}

BOOST_AUTO_TEST_CASE(reads_real_nodes_whole) {
    std::string text;
    for (auto const* file : {"node-gke-gpu-1", "node-derived-unicode-1", "node-derived-hugeann-1"})
        text += R"({"type":"ADDED","object":)" +
                test::test_data("nodes/" + std::string(file) + ".json") + "}\n";
    const auto whole = read(text);
    BOOST_TEST(whole.failure == "");
    BOOST_TEST(std::ranges::count(whole.lines, '\n') == 3);
    for (const std::size_t size : {1, 1000, 16384, 40000})
        BOOST_TEST(read(text, {size}).lines == whole.lines);
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong) {
    const std::string object = R"("object":{"metadata":{"name":"a","resourceVersion":"1"}})";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"garbage", "expected an event, got another JSON type"},
        {"[]", "expected an event"},
        {"{x", "malformed event"},
        {R"({"type":"ADDED"})", "expected metadata.resourceVersion"},
        {"{" + object + "}", "got none"},
        {R"({"type":"GONE",)" + object + "}", "got another one"},
        {R"({"type":7,)" + object + "}", "type: expected string, got number"},
        {R"({"type":"ADDED","object":[]})", "object: expected object, got array"},
        {R"({"type":"ADDED","object":"x"})", "object: expected object, got string"},
        {R"({"type":"ADDED","object":null})", "expected metadata.resourceVersion"},
        {R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"1"}}})",
         "expected metadata.name"},
        {R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})",
         "expected metadata.resourceVersion"},
        {R"({"type":"BOOKMARK","object":{"metadata":{}}})", "expected metadata.resourceVersion"},
        {R"({"type":"ADDED","object":{"metadata":{"name":[]}}})",
         "object.metadata.name: expected string"},
        {R"({"type":"ERROR","object":{"code":"410"}})", "object.code: expected number, got string"},
    };
    for (auto const& [text, part] : cases) {
        BOOST_TEST_CONTEXT(text) {
            const auto result = read(stream + text);
            BOOST_TEST(contains(result.failure, part), result.failure);
            BOOST_TEST(result.lines == expected_lines);
            BOOST_TEST(contains(read(text + stream, {1}).failure, part));
            BOOST_TEST(read(text + stream).lines == "");
        }
    }
}

BOOST_AUTO_TEST_CASE(bounds_what_it_keeps) {
    const std::string endless(watch_event_parser::max_event_bytes, 'x');
    BOOST_TEST(contains(read(R"({"object":{"metadata":{"name":")" + endless).failure,
                        "bytes in an event"));
    const auto status =
        read(R"({"type":"ERROR","object":{"message":")" + endless.substr(0, 100'000) + R"("}})");
    BOOST_TEST(status.lines.size() < 1100U);
    BOOST_TEST(
        contains(read(R"({"type":")" + endless.substr(0, 5000)).failure, "type: expected at most"));
}

BOOST_AUTO_TEST_CASE(reads_a_refusal) {
    const auto status = parse_api_status(
        R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no",)"
        R"("reason":"Forbidden","details":{"kind":"nodes"},"code":403})");
    BOOST_REQUIRE(status.has_value());
    BOOST_TEST(status->code == 403);
    BOOST_TEST(status->reason == "Forbidden");
    BOOST_TEST(status->message == "no");
    BOOST_TEST(to_line(*status) == "403 Forbidden: no");
    for (auto const* text : {"", "<html>", R"({"kind":"Status")", R"({"kind":"NodeList"})", "[]",
                             R"({"kind":"Status","code":"x"})"})
        BOOST_TEST(!parse_api_status(text).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
