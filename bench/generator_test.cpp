#define BOOST_TEST_MODULE nodesieve_generator
#include "generator_test.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "go_json.hpp"

namespace {

namespace json = boost::json;
using namespace nodesieve::bench;

// What the node's JSON says of its label; nothing when it has none.
std::optional<std::string> label_in(json::value const& node) {
    auto const& labels = node.at("metadata").at("labels").as_object();
    auto const* label = labels.if_contains("training.example.com/gpu-memory-mib");
    if (!label) return std::nullopt;
    return std::string(label->as_string());
}

// Memory and score by label, worked out by hand; every other label is bad.
std::map<std::string, std::pair<int, int>> const by_label = {
    {"16384", {16384, 2}}, {"24576", {24576, 3}},  {"40960", {40960, 5}},
    {"49152", {49152, 6}}, {"81920", {81920, 10}}, {"143360", {143360, 10}}};

}  // namespace

BOOST_AUTO_TEST_SUITE(generated_body)

BOOST_AUTO_TEST_CASE(is_the_same_for_the_same_seed) {
    generator const again({.folder = BENCH_TEMPLATES});
    generator_params const params{.nodes = 60, .seed = 7, .min_mib = min_mib};
    BOOST_TEST((again.generate(params).body == some_args().body));
}

// Whatever the machine, and whatever the templates.
BOOST_AUTO_TEST_CASE(labels_of_a_seed_are_known) {
    generated_args const args = some_args(8);
    std::vector<int> memory;
    for (generated_node const& node : args.nodes) memory.push_back(node.memory_mib);
    BOOST_TEST(memory == (std::vector<int>{16384, 0, 0, 49152, 16384, 49152, 24576, 24576}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(differs_for_another_seed) {
    generator_params const params{.nodes = 60, .seed = 8, .min_mib = min_mib};
    BOOST_TEST((real_nodes().generate(params).body != some_args().body));
}

BOOST_AUTO_TEST_CASE(has_the_members_of_extender_args_in_order) {
    generated_args const args = some_args();
    json::value const body = json::parse(args.body);
    std::vector<std::string> keys;
    for (auto const& [key, value] : body.as_object()) keys.emplace_back(key);
    BOOST_TEST(keys == (std::vector<std::string>{"Pod", "Nodes", "NodeNames"}),
               boost::test_tools::per_element());
    BOOST_TEST(body.at("Nodes").at("metadata").as_object().empty());
    BOOST_TEST(body.at("Nodes").at("items").as_array().size() == args.nodes.size());
    BOOST_TEST(body.at("NodeNames").is_null());
}

BOOST_AUTO_TEST_CASE(is_well_formed_without_nodes) {
    generated_args const args = some_args(0);
    BOOST_TEST(json::parse(args.body).at("Nodes").at("items").as_array().empty());
}

BOOST_AUTO_TEST_CASE(offsets_bracket_the_named_object) {
    generated_args const args = some_args();
    for (generated_node const& node : args.nodes) {
        BOOST_TEST_CONTEXT(node.name) {
            json::value const object = json::parse(args.json_of(node));
            BOOST_TEST(object.at("metadata").at("name").as_string() == node.name);
            BOOST_TEST(
                object.at("metadata").at("labels").at("kubernetes.io/hostname").as_string() ==
                node.name);
            BOOST_TEST(!object.as_object().contains("apiVersion"));
            BOOST_TEST(!object.as_object().contains("kind"));
        }
    }
}

BOOST_AUTO_TEST_CASE(names_are_unique_and_valid) {
    std::set<std::string> names;
    for (generated_node const& node : some_args(500).nodes) {
        BOOST_TEST_CONTEXT(node.name) {
            BOOST_TEST(names.insert(node.name).second);
            BOOST_TEST(node.name.size() <= 63U);
            BOOST_TEST((node.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
                        std::string::npos));
        }
    }
}

BOOST_AUTO_TEST_CASE(expectations_follow_from_the_labels) {
    generated_args const args = some_args(500);
    std::set<std::string> labels_seen;
    for (generated_node const& node : args.nodes) {
        auto const label = label_in(json::parse(args.json_of(node)));
        labels_seen.insert(label.value_or("(missing)"));
        auto const found = label ? by_label.find(*label) : by_label.end();
        auto const [memory, score] = found == by_label.end() ? std::pair(0, 0) : found->second;
        BOOST_TEST_CONTEXT(node.name << " with label " << label.value_or("(missing)")) {
            BOOST_TEST(node.memory_mib == memory);
            BOOST_TEST(node.score == score);
            BOOST_TEST(node.verdict == (memory == 0        ? expected_verdict::missing_or_bad_label
                                        : memory < min_mib ? expected_verdict::below_minimum
                                                           : expected_verdict::fits));
        }
    }
    BOOST_TEST(labels_seen.size() == by_label.size() + 8 + 1);  // each valid, bad, and none
}

BOOST_AUTO_TEST_CASE(every_node_fits_without_a_minimum) {
    generated_args const args = real_nodes().generate({.nodes = 60, .seed = 7});
    json::value const pod = json::parse(args.body).at("Pod");
    BOOST_TEST(!pod.at("metadata").as_object().contains("annotations"));
    for (generated_node const& node : args.nodes)
        BOOST_TEST(node.verdict == expected_verdict::fits);
}

BOOST_AUTO_TEST_CASE(shares_are_respected) {
    struct shares {
        unsigned missing, bad;
    };
    for (auto const [missing, bad] :
         {shares{0, 0}, shares{100, 0}, shares{0, 100}, shares{30, 20}, shares{50, 50}}) {
        BOOST_TEST_CONTEXT(missing << " % missing, " << bad << " % bad") {
            constexpr unsigned nodes = 2000;
            generated_args const args = real_nodes().generate(
                {.nodes = nodes, .missing_percent = missing, .bad_percent = bad});
            unsigned missing_seen = 0, bad_seen = 0;
            for (generated_node const& node : args.nodes) {
                if (!label_in(json::parse(args.json_of(node))))
                    ++missing_seen;
                else if (node.memory_mib == 0)
                    ++bad_seen;
            }
            // Within 3 points, and exact where the share is none or all.
            auto const near = [](unsigned seen, unsigned percent) {
                if (percent == 0 || percent == 100) return seen * 100 == percent * nodes;
                return seen * 100 > (percent - 3) * nodes && seen * 100 < (percent + 3) * nodes;
            };
            BOOST_TEST(near(missing_seen, missing), "missing: " << missing_seen);
            BOOST_TEST(near(bad_seen, bad), "bad: " << bad_seen);
        }
    }
}

BOOST_AUTO_TEST_CASE(pod_carries_the_minimum_and_requests_a_gpu) {
    json::value const pod = json::parse(some_args(1).body).at("Pod");
    BOOST_TEST(pod.at("metadata")
                   .at("annotations")
                   .at("training.example.com/min-gpu-memory-mib")
                   .as_string() == "40960");
    BOOST_TEST(
        pod.at_pointer("/spec/containers/0/resources/requests/nvidia.com~1gpu").as_string() == "1");
}

BOOST_AUTO_TEST_CASE(pod_from_a_file_becomes_a_pending_one) {
    generator const made({.folder = BENCH_TEMPLATES, .pod_file = "pod-gpu-indexed-1.json"});
    json::value const pod =
        json::parse(made.generate({.nodes = 1, .min_mib = min_mib}).body).at("Pod");
    BOOST_TEST(!pod.as_object().contains("kind"));
    BOOST_TEST(!pod.at("spec").as_object().contains("nodeName"));
    BOOST_TEST(!pod.at("metadata").as_object().contains("deletionTimestamp"));
    BOOST_TEST(pod.at("status").at("phase").as_string() == "Pending");
    auto const& annotations = pod.at("metadata").at("annotations").as_object();
    BOOST_TEST(annotations.at("training.example.com/min-gpu-memory-mib").as_string() == "40960");
    BOOST_TEST(annotations.contains("batch.kubernetes.io/job-completion-index"));
}

BOOST_AUTO_TEST_CASE(images_steer_the_size_and_nothing_else) {
    generated_args const own = some_args(500);
    for (unsigned const images : {0U, 1U, 30U, 70U}) {
        BOOST_TEST_CONTEXT(images << " images") {
            generated_args const args = real_nodes().generate(
                {.nodes = 500, .seed = 7, .min_mib = min_mib, .images = images});
            std::size_t sum = 0;
            for (std::size_t i = 0; i != args.nodes.size(); ++i) {
                json::value object = json::parse(args.json_of(args.nodes[i]));
                std::size_t const count = object.at("status").at("images").as_array().size();
                BOOST_TEST(count >= images - images / 2);
                BOOST_TEST(count <= images + images / 2);
                sum += count;
                json::value template_object = json::parse(own.json_of(own.nodes[i]));
                for (json::value* each : {&object, &template_object})
                    each->at("status").as_object().erase("images");
                BOOST_TEST((object == template_object));
            }
            double const average = static_cast<double>(sum) / 500;
            BOOST_TEST(average >= 0.95 * images);
            BOOST_TEST(average <= 1.05 * images);
        }
    }
}

BOOST_AUTO_TEST_CASE(share_of_gpu_nodes_is_respected) {
    for (unsigned const percent : {0U, 40U, 100U}) {
        generated_args const args =
            real_nodes().generate({.nodes = 1000, .seed = 7, .gpu_percent = percent});
        unsigned with_gpu = 0;
        for (generated_node const& node : args.nodes) {
            json::error_code ec;
            json::value const object = json::parse(args.json_of(node));
            auto const* gpus = object.find_pointer("/status/allocatable/nvidia.com~1gpu", ec);
            if (gpus && *gpus != "0") ++with_gpu;
        }
        BOOST_TEST(with_gpu >= (percent == 40 ? 370U : percent * 10));
        BOOST_TEST(with_gpu <= (percent == 40 ? 430U : percent * 10));
    }
}

BOOST_AUTO_TEST_CASE(names_only_lists_the_same_names) {
    generated_args const args =
        real_nodes().generate({.nodes = 60, .seed = 7, .min_mib = min_mib, .names_only = true});
    generated_args const full = some_args();
    json::value const body = json::parse(args.body);
    BOOST_TEST(body.at("Nodes").is_null());
    json::array const& names = body.at("NodeNames").as_array();
    BOOST_TEST_REQUIRE(names.size() == full.nodes.size());
    for (std::size_t i = 0; i != names.size(); ++i) {
        BOOST_TEST(names[i].as_string() == full.nodes[i].name);
        BOOST_TEST(json::parse(args.json_of(args.nodes[i])) == names[i]);
        BOOST_TEST(args.nodes[i].verdict == full.nodes[i].verdict);
    }
}

BOOST_AUTO_TEST_CASE(takes_derived_templates_only_when_asked) {
    generator const all({.folder = BENCH_TEMPLATES, .include_derived = true});
    generated_args const with = all.generate({.nodes = 200}), without = some_args(200);
    auto const derived = [](generated_node const& node) { return contains(node.name, "derived"); };
    BOOST_TEST(std::any_of(with.nodes.begin(), with.nodes.end(), derived));
    BOOST_TEST(std::none_of(without.nodes.begin(), without.nodes.end(), derived));
    BOOST_TEST(json::parse(with.body).at("Nodes").at("items").as_array().size() == 200U);
}

BOOST_AUTO_TEST_CASE(refuses_what_has_no_defined_answer) {
    BOOST_CHECK_THROW(real_nodes().generate({.missing_percent = 60, .bad_percent = 41}),
                      std::invalid_argument);
    BOOST_CHECK_THROW(real_nodes().generate({.min_mib = 0}), std::invalid_argument);
    BOOST_CHECK_THROW(real_nodes().generate({.min_mib = 1048577}), std::invalid_argument);
    BOOST_CHECK_THROW(real_nodes().generate({.gpu_percent = 101}), std::invalid_argument);
    BOOST_CHECK_THROW(real_nodes().generate({.images = 1001}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(errors_name_the_file) {
    auto const fails_naming = [](std::string const& name) {
        return [name](std::runtime_error const& error) { return contains(error.what(), name); };
    };
    for (char const* pod : {"pod-sidecar-1.json", "pod-absent.json"})
        BOOST_CHECK_EXCEPTION(generator({.folder = BENCH_TEMPLATES, .pod_file = pod}),
                              std::runtime_error, fails_naming(pod));
    BOOST_CHECK_EXCEPTION(generator({.folder = "/nonexistent"}), std::runtime_error,
                          fails_naming("/nonexistent"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(go_text)

BOOST_AUTO_TEST_CASE(is_compact_and_escapes_as_go_does) {
    json::value const value = json::parse(
        R"({ "a" : [1, null, {}], "b" : "<&>/\u2028\u2029\u00e9\u007f\b\f\n\r\t\u0001\\\"" })");
    BOOST_TEST(go_json(value) ==
               "{\"a\":[1,null,{}],\"b\":\"\\u003c\\u0026\\u003e/\\u2028\\u2029\u00e9\x7f"
               "\\b\\f\\n\\r\\t\\u0001\\\\\\\"\"}");
}

BOOST_AUTO_TEST_CASE(orders_metadata_and_maps) {
    json::value const from =
        json::parse(R"({"x":0,"annotations":{"b":1,"a":2},"labels":1,"uid":2,"name":3})");
    BOOST_TEST(go_json(in_metadata_order(from.as_object())) ==
               R"({"name":3,"uid":2,"labels":1,"annotations":{"b":1,"a":2},"x":0})");
    BOOST_TEST(go_json(in_key_order(from.at("annotations").as_object())) == R"({"a":2,"b":1})");
}

BOOST_AUTO_TEST_SUITE_END()
