#include <nodesieve/node_list_parser.hpp>

#include "bodies.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

using namespace nodesieve;

namespace {

using node = std::pair<std::string, std::int32_t>;

/// What one page came to.
struct page final : node_list_sink {
    std::vector<node> nodes;
    std::string resource_version;
    std::string continue_token;
    std::string failure;

    void on_node(std::string_view name, std::int32_t memory_mib) override {
        nodes.emplace_back(name, memory_mib);
    }
    friend bool operator==(page const& a, page const& b) {
        return a.nodes == b.nodes && a.resource_version == b.resource_version &&
               a.continue_token == b.continue_token && a.failure.empty() == b.failure.empty();
    }
    friend std::ostream& operator<<(std::ostream& out, page const& p) {
        for (auto const& [name, memory] : p.nodes) out << name << '=' << memory << ' ';
        return out << "rv " << p.resource_version << " continue " << p.continue_token << ' '
                   << p.failure;
    }
};

/// Reads a page in pieces of `sizes`, the last of which repeats.
page read(std::string_view text, std::vector<std::size_t> const& sizes = {SIZE_MAX},
          policy_config const& config = {}) {
    page result;
    node_list_parser parser(config, result);
    parser.start();
    bool going = true;
    for (std::size_t i = 0; going && !text.empty(); ++i) {
        const auto piece = text.substr(0, sizes[std::min(i, sizes.size() - 1)]);
        going = parser.write(piece);
        text.remove_prefix(piece.size());
    }
    if (going && parser.finish()) {
        result.resource_version = parser.resource_version();
        result.continue_token = parser.continue_token();
        BOOST_TEST(parser.nodes() == result.nodes.size());
    }
    result.failure = parser.failure();
    return result;
}

const std::string label = R"("training.example.com/gpu-memory-mib")";

const std::string list =
    R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":)"
    R"({"resourceVersion":"4711","continue":"eyJ2\u002e","remainingItemCount":3},"items":[)"
    R"({"metadata":{"name":"a","uid":"x","labels":{"items":"no",)" +
    label +
    R"(:"81920"},"managedFields":[{"fieldsV1":{"f:metadata":{"name":"b"}}}]}}, )"
    R"({"kind":"Node","metadata":{"name":"n\u00f6de","labels":{"zone":"1"}},)"
    R"("spec":{"items":[[{}],{"metadata":{"name":"c"}}]},"status":{"x":[1,-2.5e3,true,null]}},)"
    R"({"metadata":{"labels":{)" +
    label + R"(:"24576"},"name":"z"}}]})" + "\n";

const page expected_page = [] {
    page result;
    result.nodes = {{"a", 81920},
                    {"n\xC3\xB6"
                     "de",
                     0},
                    {"z", 24576}};
    result.resource_version = "4711";
    result.continue_token = "eyJ2.";
    return result;
}();

std::string list_of(std::string const& items,
                    std::string const& metadata = R"("resourceVersion":"1")") {
    return R"({"kind":"NodeList","items":)" + items + R"(,"metadata":{)" + metadata + "}}";
}

bool contains(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(node_list_parser_test)

BOOST_AUTO_TEST_CASE(reads_names_memory_and_where_to_go_on) {
    BOOST_TEST(read(list) == expected_page);
}

BOOST_AUTO_TEST_CASE(reads_the_same_however_it_is_cut) {
    BOOST_TEST(read(list, {1}) == expected_page);
    for (std::size_t at = 1; at < list.size(); ++at) {
        BOOST_TEST_CONTEXT("cut at " << at) {
            BOOST_TEST(read(list, {at, SIZE_MAX}) == expected_page);
        }
    }
}

BOOST_AUTO_TEST_CASE(refuses_each_page_that_ends_early_and_each_that_goes_on) {
    for (std::size_t size = 0; size + 1 < list.size(); ++size) {
        BOOST_TEST_CONTEXT("size " << size) {
            BOOST_TEST(!read(list.substr(0, size)).failure.empty());
        }
    }
    BOOST_TEST(contains(read(list + "{}").failure, "more behind it"));
    BOOST_TEST(contains(read(list + "x", {1}).failure, "more behind it"));
}

BOOST_AUTO_TEST_CASE(reads_real_nodes_whole) {
    policy_config config;
    config.node_memory_labels = {"nvidia.com/gpu.memory"};
    std::string items;
    std::size_t count = 0;
    const auto folder = std::filesystem::path(NODESIEVE_TEST_DATA) / "nodes";
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        const auto file = entry.path().filename().native();
        if (!file.starts_with("node-")) continue;
        items += (count++ == 0 ? "" : ",") + test::test_data("nodes/" + file);
    }
    const auto text = list_of("[" + items + "]");
    const auto whole = read(text, {SIZE_MAX}, config);
    BOOST_TEST(whole.failure == "");
    BOOST_TEST(whole.nodes.size() == count);
    BOOST_TEST((std::ranges::find(whole.nodes, 0, &node::second) != whole.nodes.end()));
    BOOST_TEST((std::ranges::find_if(whole.nodes, [](node const& n) { return n.second > 0; }) !=
                whole.nodes.end()));
    for (const std::size_t size : {1, 1000, 16384, 40000})
        BOOST_TEST(read(text, {size}, config) == whole);
}

BOOST_AUTO_TEST_CASE(takes_no_items_for_no_nodes) {
    BOOST_TEST(read(list_of("[]")).failure == "");
    BOOST_TEST(read(list_of("null")).failure == "");
    BOOST_TEST(read(R"({"kind":"NodeList","metadata":{"resourceVersion":"1"}})").failure == "");
}

BOOST_AUTO_TEST_CASE(forgets_the_last_page_at_start) {
    page seen;
    const policy_config config;
    node_list_parser parser(config, seen);
    parser.start();
    BOOST_TEST(!parser.write(list_of("[3]")));
    BOOST_TEST(!parser.write("{}"));
    BOOST_TEST(!parser.finish());
    parser.start();
    BOOST_TEST(parser.write(list));
    BOOST_TEST(parser.finish());
    parser.start();
    BOOST_TEST(parser.write(list_of("[]")));
    BOOST_TEST(parser.finish());
    BOOST_TEST(parser.continue_token() == "");
    BOOST_TEST(parser.resource_version() == "1");
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"<html>", "malformed JSON near byte 0 of a list"},
        {"", "ends at byte 0"},
        {R"({"kind":"Status","code":403})", "another kind"},
        {R"(["NodeList"])", "another kind"},
        {R"({"kind":"NodeList","items":[]})", "expected metadata.resourceVersion"},
        {list_of("[]", R"("resourceVersion":7)"),
         "metadata.resourceVersion: expected string, got number"},
        {list_of("[]", R"("resourceVersion":"1","continue":[])"),
         "metadata.continue: expected string, got array"},
        {list_of("[]", R"("resourceVersion":"1","continue":{})"),
         "metadata.continue: expected string, got object"},
        {list_of("{}"), "items: expected array, got object"},
        {list_of("true"), "items: expected array, got bool"},
        {list_of(R"("x")"), "items: expected array, got string"},
        {list_of("2.5"), "items: expected array, got number"},
        {list_of(R"([],"items":[])"), "items is given twice"},
        {list_of(R"([{"metadata":{"name":"a"}},[]])"), "items[1]: expected an object"},
        {list_of("[null]"), "items[0]: expected an object"},
        {list_of("[7]"), "items[0]: expected an object"},
        {list_of("[{}]"), "items[0].metadata.name: expected a name"},
        {list_of(R"([{"metadata":{"name":5}}])"), "items[0].metadata.name: expected string"},
        {R"({"kind":"NodeList","metadata":"x"})", "metadata: expected object, got string"},
    };
    for (auto const& [text, part] : cases) {
        BOOST_TEST_CONTEXT(text) {
            const auto failure = read(text).failure;
            BOOST_TEST(contains(failure, part), failure);
            BOOST_TEST(contains(read(text, {1}).failure, part));
        }
    }
}

BOOST_AUTO_TEST_CASE(bounds_what_it_keeps) {
    const std::string endless(node_list_parser::max_node_bytes + 64 * 1024, 'x');
    BOOST_TEST(contains(read(list_of(R"([{"metadata":{"name":")" + endless + R"("}}])")).failure,
                        "bytes between two nodes"));
    BOOST_TEST(
        contains(read(std::string(endless.size() + 1, ' ')).failure, "bytes between two nodes"));
    BOOST_TEST(
        contains(read(list_of("[]", R"("continue":")" + endless.substr(0, 5000) + '"')).failure,
                 "metadata.continue: expected at most 4096 bytes"));
    BOOST_TEST(contains(read(std::string(300, '[')).failure, "malformed JSON"));
    // Many nodes may be longer in all.
    std::string items;
    const auto node = R"({"metadata":{"name":"a"},"x":")" + endless.substr(0, 1'000'000) + R"("})";
    for (int i = 0; i < 12; ++i) items += (i == 0 ? "" : ",") + node;
    BOOST_TEST(read(list_of("[" + items + "]")).nodes.size() == 12U);
}

BOOST_AUTO_TEST_SUITE_END()
