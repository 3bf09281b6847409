#include "generator.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cassert>
#include <fstream>
#include <iterator>
#include <ostream>
#include <random>
#include <stdexcept>
#include <utility>

#include "go_json.hpp"

namespace nodesieve::bench {

namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view hostname_label = "kubernetes.io/hostname";
constexpr std::string_view memory_label = "training.example.com/gpu-memory-mib";
constexpr std::string_view minimum_annotation = "training.example.com/min-gpu-memory-mib";
constexpr int largest_mib = 1048576;

// Stand-ins for what differs between bodies; the templates' text is cut at them.
constexpr std::string_view name_mark = "@nodesieve-name@";
constexpr std::string_view memory_mark = "@nodesieve-memory@";
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

std::string read_file(fs::path const& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error("cannot be opened");
    return {std::istreambuf_iterator<char>(in), {}};
}

// Runs `read` on the text of `file`; what it throws comes out naming the file.
template <class Read>
auto from_file(fs::path const& file, Read read) {
    try {
        return read(read_file(file));
    } catch (std::exception const& error) {
        throw std::runtime_error(file.string() + ": " + error.what());
    }
}

// An object as an informer holds it: without the type, which only lists and files carry.
json::object typeless_object(std::string_view text) {
    json::object object = json::parse(text).as_object();
    object.stable_erase("apiVersion");  // stable, since what stays keeps its order
    object.stable_erase("kind");
    return object;
}

// A Pod that waits for a node, whatever had become of the one in the file.
json::object pending_pod(std::string_view text) {
    json::object pod = typeless_object(text);
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

std::string node_text(json::object node) {
    json::object& metadata = node.at("metadata").as_object();
    metadata["name"] = name_mark;
    json::object& labels = metadata["labels"].is_object() ? metadata["labels"].as_object()
                                                          : metadata["labels"].emplace_object();
    labels[hostname_label] = name_mark;
    labels[memory_label] = memory_mark;
    labels = in_key_order(labels);
    metadata = in_metadata_order(std::move(metadata));
    return go_json(node);
}

// The text up to `mark`; leaves in `text` what follows it.
std::string take_until(std::string_view& text, std::string_view mark) {
    auto const end = text.find(mark);
    assert(end != text.npos);
    std::string taken(text.substr(0, end));
    text.remove_prefix(end + mark.size());
    return taken;
}

// The label as it stands in a node's text. The comma always belongs to it: the hostname label sorts
// before it.
std::string memory_member(std::string_view value) {
    return std::string(",\"").append(memory_label).append("\":\"").append(value).append("\"");
}

// What the seed chose for one node.
struct node_choice {
    std::size_t template_index;
    std::optional<std::string> label;
    int memory_mib;
};

// Always three draws a node, so that other shares leave the choice of templates alone. Modulo
// instead of std::uniform_int_distribution, whose results differ between standard libraries; the
// bias of a 64-bit draw over a few values is nothing.
node_choice choose(std::mt19937_64& random, std::size_t templates, generator_params const& params) {
    std::size_t const template_index = random() % templates;
    std::uint64_t const percent = random() % 100;
    std::uint64_t const value = random();
    if (percent < params.missing_percent) return {template_index, std::nullopt, 0};
    if (percent < params.missing_percent + params.bad_percent)
        return {template_index, std::string(bad_labels[value % bad_labels.size()]), 0};
    int const memory_mib = valid_mib[value % valid_mib.size()];
    return {template_index, std::to_string(memory_mib), memory_mib};
}

expected_verdict verdict_for(int memory_mib, std::optional<int> min_mib) {
    if (!min_mib) return expected_verdict::fits;
    if (memory_mib == 0) return expected_verdict::missing_or_bad_label;
    return memory_mib < *min_mib ? expected_verdict::below_minimum : expected_verdict::fits;
}

// What must be answered; its name and place in the body are not known yet.
generated_node expected_node(node_choice const& choice, std::optional<int> min_mib) {
    generated_node node;
    node.memory_mib = choice.memory_mib;
    node.verdict = verdict_for(choice.memory_mib, min_mib);
    // 0..100 over 80 GiB, then to the 0..10 of the wire.
    node.score = std::min(choice.memory_mib * 100 / 81920, 100) / 10;
    return node;
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
}

}  // namespace

std::string_view reason_text(expected_verdict verdict) {
    switch (verdict) {
        case expected_verdict::missing_or_bad_label:
            return "missing or invalid administrator GPU-memory label";
        case expected_verdict::below_minimum:
            return "GPU memory label is below the required minimum";
        case expected_verdict::fits:
            break;
    }
    return {};
}

std::ostream& operator<<(std::ostream& out, expected_verdict verdict) {
    return out << (verdict == expected_verdict::fits ? "fits" : reason_text(verdict));
}

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
    for (fs::path const& file : files) templates_.push_back(read_node_template(file));

    json::object const pod = source.pod_file.empty()
                                 ? pending_pod(built_in_pod)
                                 : from_file(source.folder / source.pod_file, pending_pod);
    if (!requests_gpu(pod)) throw std::runtime_error(source.pod_file + ": the Pod requests no GPU");
    pod_without_minimum_ = pod_text(pod, std::nullopt);
    std::string const with_minimum = pod_text(pod, minimum_mark);
    std::string_view rest = with_minimum;
    pod_to_minimum_ = take_until(rest, minimum_mark);
    pod_rest_ = rest;
}

generator::node_template generator::read_node_template(fs::path const& file) {
    std::string const text = from_file(
        file, [](std::string const& content) { return node_text(typeless_object(content)); });
    std::string_view rest = text;
    node_template result;
    result.kind = file.stem().string().substr(std::string_view("node-").size());
    result.to_name = take_until(rest, name_mark);
    result.to_hostname = take_until(rest, name_mark);
    result.to_memory = take_until(rest, memory_member(memory_mark));
    result.rest = rest;
    return result;
}

void generator::node_template::append_to(std::string& body, std::string_view name,
                                         std::optional<std::string_view> label) const {
    body.append(to_name).append(name).append(to_hostname).append(name).append(to_memory);
    if (label) body += memory_member(*label);
    body += rest;
}

std::size_t generator::node_template::size() const {
    return to_name.size() + to_hostname.size() + to_memory.size() + rest.size();
}

generated_args generator::generate(generator_params const& params) const {
    check(params);
    std::mt19937_64 random(params.seed);
    std::vector<node_choice> choices(params.nodes);
    // One allocation: a string that grows by doubling holds the old bytes beside twice the room.
    constexpr std::size_t name_and_label_bytes = 256;
    std::size_t capacity = pod_without_minimum_.size() + name_and_label_bytes;
    for (node_choice& choice : choices) {
        choice = choose(random, templates_.size(), params);
        capacity += name_and_label_bytes;
        if (!params.names_only) capacity += templates_[choice.template_index].size();
    }

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
        node_choice const& choice = choices[index];
        node_template const& chosen = templates_[choice.template_index];
        generated_node node = expected_node(choice, params.min_mib);
        node.name = node_name(chosen.kind, index);
        if (index != 0) body += ',';
        node.offset = body.size();
        if (params.names_only)
            body.append("\"").append(node.name).append("\"");
        else
            chosen.append_to(body, node.name, choice.label);
        node.size = body.size() - node.offset;
        args.nodes.push_back(std::move(node));
    }
    body += params.names_only ? "]}" : R"(]},"NodeNames":null})";
    return args;
}

}  // namespace nodesieve::bench
