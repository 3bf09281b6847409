#include "generator.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <ostream>
#include <random>
#include <stdexcept>
#include <utility>

#include "go_json.hpp"

namespace nodesieve::bench {

namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view minimum_annotation = "training.example.com/min-gpu-memory-mib";
constexpr int largest_mib = 1048576;

constexpr unsigned most_images = 1000;

// Stands in for the annotation's value; the Pod's text is cut at it.
constexpr std::string_view minimum_mark = "@nodesieve-minimum@";

constexpr std::array valid_mib = {16384, 24576, 40960, 49152, 81920, 143360};
constexpr std::array<std::string_view, 8> bad_labels = {
    "", "0", "-1", "16Gi", "42505273344", "1048577", " 16384", "abc"};

constexpr std::string_view built_in_pod = R"({
    "metadata": {
        "name": "trainer-0", "namespace": "default", "uid": "00000000-1111-4222-8333-000000000001",
        "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"app": "trainer"}
    },
    "spec": {
        "containers": [{
            "name": "main", "image": "registry.example.com/trainer:1",
            "resources": {
                "limits": {"memory": "64Gi", "nvidia.com/gpu": "1"},
                "requests": {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "1"}
            },
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            "imagePullPolicy": "IfNotPresent"
        }],
        "restartPolicy": "Never", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
        "securityContext": {}, "schedulerName": "custom-scheduler", "priority": 0,
        "enableServiceLinks": true, "preemptionPolicy": "PreemptLowerPriority"
    },
    "status": {"phase": "Pending", "qosClass": "Burstable"}
})";

// A Pod that waits for a node, whatever had become of the one in the file.
json::object pending(json::object pod) {
    pod.at("spec").as_object().stable_erase("nodeName");
    json::object& metadata = pod.at("metadata").as_object();
    metadata.stable_erase("deletionTimestamp");
    metadata.stable_erase("deletionGracePeriodSeconds");
    json::object status{{"phase", "Pending"}};
    if (auto const* old = pod.if_contains("status"))
        if (auto const* qos = old->as_object().if_contains("qosClass"))
            status.emplace("qosClass", *qos);
    pod["status"] = std::move(status);
    return pod;
}

json::object pod_in(fs::path const& file) {
    try {
        return pending(typeless_object_in(file));
    } catch (std::exception const& error) {
        throw std::runtime_error(file.string() + ": " + error.what());
    }
}

// Whether a container requests GPUs: enough to be sure that the Pod does, without knowing how
// requests of init containers and sidecars add up.
bool requests_gpu(json::object const& pod) {
    json::array const& containers = pod.at("spec").at("containers").as_array();
    return std::any_of(containers.begin(), containers.end(), [](json::value const& container) {
        json::error_code ec;
        auto const* gpus = container.find_pointer("/resources/requests/nvidia.com~1gpu", ec);
        return gpus && *gpus != "0";
    });
}

std::string pod_text(json::object pod, std::optional<std::string_view> minimum) {
    json::object& metadata = pod.at("metadata").as_object();
    json::object annotations;
    if (auto const* own = metadata.if_contains("annotations")) annotations = own->as_object();
    annotations.erase(minimum_annotation);
    if (minimum) annotations.emplace(minimum_annotation, *minimum);
    metadata.stable_erase("annotations");
    if (!annotations.empty()) metadata.emplace("annotations", in_key_order(annotations));
    metadata = in_metadata_order(std::move(metadata));
    return go_json(pod);
}

expected_verdict verdict_for(int memory_mib, std::optional<int> min_mib) {
    if (!min_mib) return expected_verdict::fits;
    if (memory_mib == 0) return expected_verdict::missing_or_bad_label;
    return memory_mib < *min_mib ? expected_verdict::below_minimum : expected_verdict::fits;
}

std::string node_name(std::string_view kind, std::size_t index) {
    std::string const digits = std::to_string(index);
    std::string name(kind);
    name += '-';
    name.append(6 - std::min<std::size_t>(digits.size(), 6), '0');
    return name += digits;
}

void check(generator_params const& params) {
    if (params.missing_percent > 100 || params.bad_percent > 100 - params.missing_percent)
        throw std::invalid_argument("shares of missing and bad labels exceed 100 %");
    if (params.min_mib && (*params.min_mib < 1 || *params.min_mib > largest_mib))
        throw std::invalid_argument("minimum is outside 1..1048576 MiB");
    if (params.gpu_percent && *params.gpu_percent > 100)
        throw std::invalid_argument("share of GPU nodes exceeds 100 %");
    if (params.images && *params.images > most_images)
        throw std::invalid_argument("more than 1000 images a node");
}

}  // namespace

std::string_view reason_text(expected_verdict verdict) {
    switch (verdict) {
        case expected_verdict::missing_or_bad_label:
            return "missing or invalid administrator GPU-memory label";
        case expected_verdict::below_minimum:
            return "GPU memory label is below the required minimum";
        case expected_verdict::fits: break;
    }
    return {};
}

std::ostream& operator<<(std::ostream& out, expected_verdict verdict) {
    return out << (verdict == expected_verdict::fits ? "fits" : reason_text(verdict));
}

// What the seed chose for one node.
struct generator::node_choice {
    std::size_t template_index = 0;
    std::optional<std::string> label = {};
    int memory_mib = 0;
    std::optional<std::size_t> images = {};  // none: those of the template
    std::size_t first_image = 0;
};

generator::generator(template_source const& source) {
    std::vector<fs::path> files;
    for (auto const& entry : fs::directory_iterator(source.folder)) {
        std::string const name = entry.path().filename().string();
        if (name.starts_with("node-") && name.ends_with(".json") &&
            (source.include_derived || name.find("derived") == name.npos))
            files.push_back(entry.path());
    }
    if (files.empty()) throw std::runtime_error("no node-*.json in " + source.folder.string());
    std::sort(files.begin(), files.end());  // a directory has no order of its own
    for (fs::path const& file : files) {
        node_template const& read = templates_.emplace_back(file);
        (read.has_gpu() ? with_gpu_ : without_gpu_).push_back(templates_.size() - 1);
        images_.insert(images_.end(), read.images().begin(), read.images().end());
    }

    json::object const pod = source.pod_file.empty()
                                 ? pending(json::parse(built_in_pod).as_object())
                                 : pod_in(source.folder / source.pod_file);
    if (!requests_gpu(pod)) throw std::runtime_error(source.pod_file + ": the Pod requests no GPU");
    pod_without_minimum_ = pod_text(pod, std::nullopt);
    std::string const with_minimum = pod_text(pod, minimum_mark);
    std::size_t const mark = with_minimum.find(minimum_mark);
    pod_to_minimum_ = with_minimum.substr(0, mark);
    pod_rest_ = with_minimum.substr(mark + minimum_mark.size());
}

// Always three draws a node, so that other shares leave the choice of templates alone, and another
// source for the images, so that they leave everything else alone. Modulo instead of
// std::uniform_int_distribution, whose results differ between standard libraries; the bias of a
// 64-bit draw over a few values is nothing.
std::vector<generator::node_choice> generator::choose(generator_params const& params) const {
    std::mt19937_64 random(params.seed);
    std::mt19937_64 images_random(~params.seed);
    std::vector<node_choice> choices(params.nodes);
    for (node_choice& choice : choices) {
        choice.template_index = template_for(random(), params);
        std::uint64_t const percent = random() % 100;
        std::uint64_t const value = random();
        if (percent >= params.missing_percent + params.bad_percent) {
            choice.memory_mib = valid_mib[value % valid_mib.size()];
            choice.label = std::to_string(choice.memory_mib);
        } else if (percent >= params.missing_percent) {
            choice.label = bad_labels[value % bad_labels.size()];
        }
        if (params.images) {
            unsigned const half = *params.images / 2;
            choice.images = *params.images - half + images_random() % (2 * half + 1);
            choice.first_image = images_random() % std::max<std::size_t>(images_.size(), 1);
        }
    }
    return choices;
}

std::size_t generator::template_for(std::uint64_t draw, generator_params const& params) const {
    if (!params.gpu_percent) return draw % templates_.size();
    auto const& candidates = draw % 100 < *params.gpu_percent ? with_gpu_ : without_gpu_;
    if (candidates.empty())
        throw std::invalid_argument("the templates have no node to make up the share of GPU nodes");
    return candidates[draw / 100 % candidates.size()];
}

// The elements of status.images: a run of those of all templates.
std::string generator::images_for(node_choice const& choice) const {
    std::string text;
    for (std::size_t i = 0; i != choice.images.value_or(0); ++i) {
        if (i != 0) text += ',';
        text += images_[(choice.first_image + i) % images_.size()];
    }
    return text;
}

std::size_t generator::size_of(node_choice const& choice) const {
    std::size_t bytes = templates_[choice.template_index].size();
    for (std::size_t i = 0; i != choice.images.value_or(0); ++i)
        bytes += images_[(choice.first_image + i) % images_.size()].size() + 1;
    return bytes;
}

generated_node generator::expected_node(node_choice const& choice, generator_params const& params) {
    generated_node node;
    node.memory_mib = choice.memory_mib;
    node.verdict = verdict_for(choice.memory_mib, params.min_mib);
    // 0..100 over 80 GiB, then to the 0..10 of the wire.
    node.score = std::min(choice.memory_mib * 100 / 81920, 100) / 10;
    return node;
}

void generator::append_node(std::string& body, std::string_view name, node_choice const& choice,
                            generator_params const& params) const {
    node_template const& chosen = templates_[choice.template_index];
    if (params.names_only)
        body.append("\"").append(name).append("\"");
    else if (choice.images)
        chosen.append_to(body, name, choice.label, images_for(choice));
    else
        chosen.append_to(body, name, choice.label, std::nullopt);
}

generated_args generator::generate(generator_params const& params) const {
    check(params);
    if (params.images.value_or(0) > 0 && images_.empty())
        throw std::invalid_argument("the templates have no images");
    std::vector<node_choice> const choices = choose(params);
    // One allocation: a string that grows by doubling holds the old bytes beside twice the room.
    constexpr std::size_t name_and_label_bytes = 256;
    std::size_t capacity =
        pod_without_minimum_.size() + (choices.size() + 1) * name_and_label_bytes;
    if (!params.names_only)
        for (node_choice const& choice : choices) capacity += size_of(choice);

    generated_args args;
    args.names_only = params.names_only;
    args.nodes.reserve(params.nodes);
    std::string& body = args.body;
    body.reserve(capacity);
    body += R"({"Pod":)";
    if (params.min_mib)
        body.append(pod_to_minimum_).append(std::to_string(*params.min_mib)).append(pod_rest_);
    else
        body += pod_without_minimum_;
    body += params.names_only ? R"(,"Nodes":null,"NodeNames":[)"
                              : R"(,"Nodes":{"metadata":{},"items":[)";
    for (std::size_t index = 0; index != choices.size(); ++index) {
        if (index != 0) body += ',';
        generated_node node = expected_node(choices[index], params);
        node.name = node_name(templates_[choices[index].template_index].kind(), index);
        node.offset = body.size();
        append_node(body, node.name, choices[index], params);
        node.size = body.size() - node.offset;
        args.nodes.push_back(std::move(node));
    }
    body += params.names_only ? "]}" : R"(]},"NodeNames":null})";
    return args;
}

}  // namespace nodesieve::bench
