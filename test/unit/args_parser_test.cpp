#include <nodesieve/args_parser.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

using namespace nodesieve;

namespace {

/// Keeps what the parser hands out.
struct recorder final : args_sink {
    struct node {
        std::string text;
        std::string name;
        std::int32_t memory_mib;
    };
    std::vector<pod_facts> pods;
    std::string pod_name;
    std::vector<node> nodes;
    std::string part;
    struct candidate {
        std::string node;
        std::vector<std::string> uids;
        std::int64_t violations;
    };
    std::vector<std::string> names;
    bool names_given = false;
    std::vector<candidate> candidates;

    void on_pod(pod_facts const& pod, std::string_view, std::string_view name) override {
        pods.push_back(pod);
        pod_name = name;
    }
    void on_node_part(std::string_view text) override { part.append(text); }
    void on_node(std::string_view text, std::string_view name, std::int32_t memory_mib) override {
        nodes.push_back({part.append(text), std::string(name), memory_mib});
        part.clear();
    }
    void on_node_name(std::string_view name) override { names.emplace_back(name); }
    void on_node_names_end() override { names_given = true; }
    void on_candidate(std::string_view name, std::span<std::string const> uids,
                      std::int64_t violations) override {
        candidates.push_back({std::string(name), {uids.begin(), uids.end()}, violations});
    }
};

struct parsed {
    recorder seen;
    errc code;
    std::string detail;
};

parsed parse(std::string_view body, policy_config const& config = {},
             body_form form = body_form::nodes) {
    parsed result;
    args_parser parser(config, result.seen);
    parser.start(form);
    if (parser.write(body) == errc::success) (void)parser.finish();
    result.code = parser.failure().code;
    result.detail = parser.failure().detail;
    return result;
}

constexpr auto block_bytes = args_parser::block_bytes;

const std::string nodes_of(std::string const& items) {
    return R"({"Pod":{},"Nodes":{"items":[)" + items + "]}}";
}

const std::string pod_of(std::string const& pod) { return R"({"Nodes":{},"Pod":)" + pod + "}"; }

bool contains(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(args_parser_test)

BOOST_AUTO_TEST_CASE(hands_out_each_node_with_its_own_text) {
    const std::string first = R"({"metadata":{"name":"a" } , "x":[1, {}] })";
    const std::string second = R"({"metadata":{"name":"b"}})";
    const auto p = parse(nodes_of(" \n" + first + " \t,\r" + second + " "));
    BOOST_TEST((p.code == errc::success));
    BOOST_REQUIRE(p.seen.nodes.size() == 2U);
    BOOST_TEST(p.seen.nodes[0].text == first);
    BOOST_TEST(p.seen.nodes[0].name == "a");
    BOOST_TEST(p.seen.nodes[1].text == second);
}

BOOST_AUTO_TEST_CASE(reads_directly_into_its_buffer) {
    const auto node = R"({"metadata":{"name":"a"},"x":")" + std::string(1'000'000, 'x') + R"("})";
    const auto body = nodes_of(node);
    recorder seen;
    const policy_config config;
    args_parser parser(config, seen);
    parser.start(body_form::nodes);
    for (std::size_t at = 0; at < body.size();) {
        const auto space = parser.prepare();
        BOOST_REQUIRE(!space.empty());
        const auto count = std::min(space.size(), body.size() - at);
        std::memcpy(space.data(), body.data() + at, count);
        BOOST_REQUIRE((parser.commit(count) == errc::success));
        at += count;
    }
    BOOST_TEST((parser.finish() == errc::success));
    BOOST_REQUIRE(seen.nodes.size() == 1U);
    BOOST_TEST((seen.nodes[0].text == node));
}

BOOST_AUTO_TEST_CASE(forgets_the_last_body_at_start) {
    recorder seen;
    const policy_config config;
    args_parser parser(config, seen);
    parser.start(body_form::nodes);
    BOOST_TEST((parser.write(R"({"Pod":{}, "Pod":{}})") == errc::success));
    BOOST_TEST((parser.finish() == errc::malformed_request));
    parser.start(body_form::nodes);
    BOOST_TEST((parser.write(nodes_of(R"({"metadata":{"name":"a"}})")) == errc::success));
    BOOST_TEST((parser.finish() == errc::success));
}

BOOST_AUTO_TEST_CASE(the_first_label_that_a_node_has_decides) {
    policy_config config;
    config.node_memory_labels = {"first", "second"};
    const auto memory = [&](std::string const& labels) {
        return parse(nodes_of(R"({"metadata":{"labels":)" + labels + "}}"), config)
            .seen.nodes.at(0)
            .memory_mib;
    };
    BOOST_TEST(memory(R"({"first":"1","second":"2"})") == 1);
    BOOST_TEST(memory(R"({"second":"2","first":"1"})") == 1);
    BOOST_TEST(memory(R"({"second":"2"})") == 2);
    BOOST_TEST(memory(R"({"first":"x","second":"2"})") == 0);
    BOOST_TEST(memory(R"({"first":null,"second":"2"})") == 0);
    BOOST_TEST(memory(R"({"First":"1","second":"2"})") == 2);
}

BOOST_AUTO_TEST_CASE(null_does_what_it_does_in_go) {
    const auto node = [](std::string const& text) {
        return parse(nodes_of(text)).seen.nodes.at(0);
    };
    const std::string label = R"("training.example.com/gpu-memory-mib":"5")";
    BOOST_TEST(node(R"({"metadata":{"name":"a","name":null}})").name == "a");
    BOOST_TEST(node(R"({"metadata":{"name":"a"},"metadata":null})").name == "a");
    BOOST_TEST(node(R"({"metadata":{"labels":{)" + label + "}}}").memory_mib == 5);
    BOOST_TEST(node(R"({"metadata":{"labels":{)" + label + R"(},"labels":null}})").memory_mib == 0);
    BOOST_TEST(node("null").name == "");

    const auto pod = [](std::string const& text) { return parse(pod_of(text)).seen.pods.at(0); };
    const std::string minimum = R"("training.example.com/min-gpu-memory-mib")";
    BOOST_TEST((pod(R"({"metadata":{"annotations":{)" + minimum + ":null}}}").minimum_mib == 0));
    BOOST_TEST(!pod(R"({"metadata":{"annotations":{)" + minimum + R"(:"5"},"annotations":null}})")
                    .minimum_mib);
    const std::string requests = R"("requests":{"nvidia.com/gpu":1})";
    BOOST_TEST(pod(R"({"spec":{"containers":[null,{"resources":{)" + requests + "}}]}}").has_gpu);
    BOOST_TEST(
        !pod(R"({"spec":{"containers":[{"resources":{)" + requests + R"(,"requests":null}}]}})")
             .has_gpu);
    BOOST_TEST(!pod(R"({"spec":{"overhead":{"nvidia.com/gpu":1},"overhead":null}})").has_gpu);
}

BOOST_AUTO_TEST_CASE(knows_a_sidecar_wherever_its_restart_policy_stands) {
    const auto has_gpu = [](std::string const& sidecar) {
        return parse(
                   pod_of(
                       R"({"spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":-2}}}],)"
                       R"("initContainers":[)" +
                       sidecar + "]}}"))
            .seen.pods.at(0)
            .has_gpu;
    };
    const std::string three = R"("resources":{"requests":{"nvidia.com/gpu":3}})";
    const std::string one = R"("resources":{"requests":{"nvidia.com/gpu":1}})";
    BOOST_TEST(has_gpu("{" + three + R"(,"restartPolicy":"Always"})"));
    BOOST_TEST(has_gpu(R"({"restartPolicy":"Always",)" + three + "}"));
    BOOST_TEST(has_gpu("{" + one + "}"));
    // As a sidecar 1 is added to -2, but as its own init container it needs 1.
    BOOST_TEST(has_gpu("{" + one + R"(,"restartPolicy":"Always"})"));
    BOOST_TEST(!has_gpu(R"({"resources":{"requests":{"nvidia.com/gpu":-1}}})"));
}

BOOST_AUTO_TEST_CASE(an_escape_makes_a_quantity_invalid_as_in_go) {
    const auto code = [](std::string const& quantity) {
        return parse(pod_of(R"({"spec":{"overhead":{"nvidia.com/gpu":)" + quantity + "}}}")).code;
    };
    BOOST_TEST((code(R"("1")") == errc::success));
    BOOST_TEST((code(R"("\u0031")") == errc::malformed_request));
    BOOST_TEST((code(R"("1\n")") == errc::malformed_request));
    BOOST_TEST((code(R"("1\u0020")") == errc::malformed_request));
}

BOOST_AUTO_TEST_CASE(a_block_that_ends_within_a_character_makes_no_quantity_invalid) {
    for (const std::string quantity : {"\xC2\xA0"
                                       "1",
                                       "1\xE3\x80\x80",
                                       "\xE3\x80\x80"
                                       "2\xE3\x80\x80"}) {
        const auto body =
            pod_of(R"({"spec":{"overhead":{"nvidia.com/gpu":")" + quantity + R"("}}})");
        for (std::size_t at = 1; at < body.size(); ++at) BOOST_TEST_CONTEXT("block ends at " << at)
        BOOST_TEST((parse(std::string(block_bytes - at, ' ') + body).code == errc::success));
    }
    const auto escaped = pod_of(R"({"spec":{"overhead":{"nvidia.com/gpu":"\u00a01"}}})");
    for (std::size_t at = 1; at < escaped.size(); ++at)
        BOOST_TEST(
            (parse(std::string(block_bytes - at, ' ') + escaped).code == errc::malformed_request));
}

BOOST_AUTO_TEST_CASE(reads_long_strings_that_a_block_ends_in_within_a_character_or_an_escape) {
    // Boost.JSON 1.81 overflowed its buffer there: src/core/CMakeLists.txt.
    struct row {
        std::string text, value;
    };
    const std::string tail(block_bytes + 4000, 'a');
    std::string nichi;
    for (std::size_t i = 0; i < block_bytes / 3 + 1000; ++i) nichi += "\xE6\x97\xA5";
    const row rows[] = {{nichi, nichi},
                        {"\xC3\xA9" + tail, "\xC3\xA9" + tail},
                        {"\\u00e9" + tail, "\xC3\xA9" + tail},
                        {"\\ud83d\\ude00" + tail, "\xF0\x9F\x98\x80" + tail},
                        {"\\n" + tail, "\n" + tail}};
    for (auto const& r : rows) {
        const auto body = nodes_of(R"({"metadata":{"name":")" + r.text + R"("}})");
        const auto name_at = body.find("name\":\"") + 7;
        for (std::size_t at = name_at; at < name_at + 16; ++at) {
            const auto p = parse(std::string(block_bytes - at, ' ') + body);
            BOOST_REQUIRE((p.code == errc::success));
            BOOST_TEST((p.seen.nodes.at(0).name == r.value));
        }
    }
}

BOOST_AUTO_TEST_CASE(keys_fold_as_in_go) {
    const auto p = parse(
        "{\"pod\":{\"\xC5\xBFPEC\":{\"OVERHEAD\":{\"nvidia.com/gpu\":1}}},"
        "\"NODE\xC5\xBF\":{\"item\xC5\xBF\":[{\"METADATA\":{\"NAME\":\"a\"}}]}}");
    BOOST_TEST((p.code == errc::success));
    BOOST_TEST(p.seen.pods.at(0).has_gpu);
    BOOST_TEST(p.seen.nodes.at(0).name == "a");
}

BOOST_AUTO_TEST_CASE(refuses_a_second_object_where_go_would_merge) {
    for (const std::string body :
         {R"({"Pod":{},"pod":{}})", R"({"Pod":{},"Pod":null})", R"({"Nodes":{},"Nodes":{}})",
          R"({"Nodes":{"items":[],"items":[]}})", R"({"Nodes":{"items":[],"Items":null}})",
          R"({"Pod":{"spec":{"containers":[],"containers":[]}}})",
          R"({"Pod":{"spec":{"initContainers":[],"initContainers":[]}}})",
          R"({"Pod":{"spec":{"containers":[],"containers":null}}})",
          R"({"Pod":{"spec":{"initContainers":[],"initContainers":null}}})"}) {
        BOOST_TEST_CONTEXT(body) {
            const auto p = parse(body);
            BOOST_TEST((p.code == errc::malformed_request));
            BOOST_TEST(contains(p.detail, "is given twice"));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_fault_names_path_types_and_offset_but_no_text_of_the_request) {
    struct row {
        std::string body;
        std::string_view detail;
    };
    const row rows[] = {
        {"[1]", "ExtenderArgs: expected object or null, got array at byte 0"},
        {R"({"Pod":"secret"})", "Pod: expected object or null, got string at byte 7"},
        {R"({"Nodes":[]})", "Nodes: expected object or null, got array at byte 9"},
        {R"({"Nodes":{"items":{}}})", "Nodes.items: expected array or null, got object at byte 18"},
        {R"({"NodeNames":"secret"})", "NodeNames: expected array or null, got string at byte 13"},
        {R"({"NodeNames":["a",1]})", "NodeNames[1]: expected string or null, got number"},
        {nodes_of("{},7"), "Nodes.items[1]: expected object or null, got number at byte 31"},
        {nodes_of(R"({"metadata":{"name":7}})"),
         "Nodes.items[0]: metadata.name: expected string or null, got number"},
        {nodes_of(R"({"metadata":{"labels":{"training.example.com/gpu-memory-mib":true}}})"),
         "metadata.labels[\"training.example.com/gpu-memory-mib\"]: expected string or null, got "
         "bool"},
        {pod_of(R"({"metadata":{"annotations":[]}})"),
         "Pod: metadata.annotations: expected object or null, got array"},
        {pod_of(R"({"spec":{"containers":{}}})"),
         "Pod: spec.containers: expected array or null, got object"},
        {pod_of(
             R"({"spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":"secret"}}}]}})"),
         "[\"nvidia.com/gpu\"] is no quantity"},
        {R"({"Pod" 1})", "malformed JSON at byte 7: expected a colon of ExtenderArgs"},
        {R"({"Pod":{"a":secret}})", "malformed JSON near byte 12, in Pod"},
        {R"({"Pod":{)", "the body ends at byte 8, before the JSON object does"},
    };
    for (auto const& r : rows) {
        BOOST_TEST_CONTEXT(r.body) {
            const auto p = parse(r.body);
            BOOST_TEST((p.code == errc::malformed_request));
            BOOST_TEST(contains(p.detail, r.detail), p.detail);
            BOOST_TEST(!contains(p.detail, "secret"));
            BOOST_TEST(!contains(p.detail, "\n"));
        }
    }
}

BOOST_AUTO_TEST_CASE(accepts_wrong_types_in_fields_that_nobody_reads) {
    BOOST_TEST(
        (parse(nodes_of(R"({"metadata":{"name":"a","labels":{"x":7},"annotations":3},"spec":[]})"))
             .code == errc::success));
    BOOST_TEST((
        parse(pod_of(R"({"spec":{"containers":[{"name":7,"resources":{"limits":5}}]},"status":1})"))
            .code == errc::success));
}

BOOST_AUTO_TEST_CASE(limits_the_depth_of_the_whole_to_256) {
    struct place {
        std::string before, after;
        std::size_t levels;
    };
    const place places[] = {{R"({"Pod":{},"Nodes":{},"x":)", "}", 1},
                            {R"({"Pod":{},"Nodes":{"x":)", "}}", 2},
                            {R"({"Pod":{},"Nodes":{"items":[{"x":)", "}]}}", 4},
                            {R"({"Nodes":{},"Pod":{"x":)", "}}", 2},
                            {R"({"Nodes":{},"Pod":{"spec":{"containers":[{"x":)", "}]}}}", 5}};
    for (auto const& p : places) {
        for (const std::size_t depth : {255U, 256U, 257U}) {
            const auto nested = depth - p.levels;
            const auto body =
                p.before + std::string(nested, '[') + std::string(nested, ']') + p.after;
            BOOST_TEST_CONTEXT(p.before << " at depth " << depth)
            BOOST_TEST(((parse(body).code == errc::success) == (depth <= 256)));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
