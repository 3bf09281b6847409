#include "node_template.hpp"

#include <boost/json.hpp>
#include <cassert>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "go_json.hpp"

namespace nodesieve::bench {

namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view hostname_label = "kubernetes.io/hostname";
constexpr std::string_view memory_label = "training.example.com/gpu-memory-mib";

// Stand-ins for what differs between nodes; the template's text is cut at them.
constexpr std::string_view name_mark = "@nodesieve-name@";
constexpr std::string_view memory_mark = "@nodesieve-memory@";
constexpr std::string_view images_mark = "@nodesieve-images@";

std::string text_of(json::object node) {
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

json::object& status_of(json::object& node) {
    json::value& status = node["status"];
    return status.is_object() ? status.as_object() : status.emplace_object();
}

bool gives_gpus(json::object const& node) {
    auto const* status = node.if_contains("status");
    if (!status) return false;
    json::error_code ec;
    auto const* gpus = status->find_pointer("/allocatable/nvidia.com~1gpu", ec);
    return gpus && *gpus != "0";
}

std::vector<std::string> images_of(json::object& node) {
    std::vector<std::string> images;
    if (auto const* listed = status_of(node).if_contains("images"); listed && listed->is_array())
        for (json::value const& image : listed->get_array()) images.push_back(go_json(image));
    return images;
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

}  // namespace

json::object typeless_object_in(fs::path const& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error("cannot be opened");
    json::object object =
        json::parse(std::string(std::istreambuf_iterator<char>(in), {})).as_object();
    object.stable_erase("apiVersion");  // stable, since what stays keeps its order
    object.stable_erase("kind");
    return object;
}

node_template::node_template(fs::path const& file)
    : kind_(file.stem().string().substr(std::string_view("node-").size())) {
    try {
        json::object node = typeless_object_in(file);
        std::string const text = text_of(node);
        std::string_view rest = text;
        to_name_ = take_until(rest, name_mark);
        to_hostname_ = take_until(rest, name_mark);
        to_memory_ = take_until(rest, memory_member(memory_mark));
        rest_ = rest;

        has_gpu_ = gives_gpus(node);
        images_ = images_of(node);
        status_of(node)["images"] = json::array{images_mark};
        std::string const cut_text = text_of(std::move(node));
        std::size_t const before_rest = text.size() - rest.size();
        assert(cut_text.compare(0, before_rest, text, 0, before_rest) == 0);
        std::string_view cut_rest = std::string_view(cut_text).substr(before_rest);
        to_images_ = take_until(cut_rest, go_json(json::value(images_mark)));
        after_images_ = cut_rest;
    } catch (std::exception const& error) {
        throw std::runtime_error(file.string() + ": " + error.what());
    }
}

void node_template::append_to(std::string& body, std::string_view name,
                              std::optional<std::string_view> label,
                              std::optional<std::string_view> images) const {
    body.append(to_name_).append(name).append(to_hostname_).append(name).append(to_memory_);
    if (label) body += memory_member(*label);
    if (images)
        body.append(to_images_).append(*images).append(after_images_);
    else
        body += rest_;
}

std::size_t node_template::size() const noexcept {
    return to_name_.size() + to_hostname_.size() + to_memory_.size() + rest_.size();
}

}  // namespace nodesieve::bench
