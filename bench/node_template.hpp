#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nodesieve::bench {

/// The object in a file of the templates' folder, as an informer holds it: without the type, which
/// only lists and files carry. Throws std::exception when there is none.
[[nodiscard]] boost::json::object typeless_object_in(std::filesystem::path const& file);

/// A real Node as text, cut where generated nodes differ, so that making one is joining strings:
///
///     {"metadata":{"name":"NAME",…,"labels":{…hostname":"NAME",…,"…gpu-memory-mib":"LABEL",…}}
///     |____ to_name _____|    |____ to_hostname ______|    |_ to_memory                |_ rest
///
/// `rest` is kept twice: as it was, and cut once more where the images go.
class node_template {
  public:
    /// Throws std::runtime_error, naming the file, when it is not JSON of the right shape.
    explicit node_template(std::filesystem::path const& file);

    /// From the file's name: the start of node names.
    [[nodiscard]] std::string const& kind() const noexcept { return kind_; }
    /// Whether the node has GPUs to give away.
    [[nodiscard]] bool has_gpu() const noexcept { return has_gpu_; }
    /// What `status.images` lists, each as JSON.
    [[nodiscard]] std::vector<std::string> const& images() const noexcept { return images_; }

    /// Appends one node. Without a `label` it has none; without `images`, the elements of
    /// `status.images` with their commas, it keeps those of the template.
    void append_to(std::string& body, std::string_view name, std::optional<std::string_view> label,
                   std::optional<std::string_view> images) const;

    /// Bytes of a node with its own images, without name and label.
    [[nodiscard]] std::size_t size() const noexcept;

  private:
    std::string kind_;
    bool has_gpu_ = false;
    std::vector<std::string> images_;
    std::string to_name_;
    std::string to_hostname_;
    std::string to_memory_;  // up to the memory label's member, which may be left out
    std::string rest_;
    std::string to_images_;  // the start of `rest`, up to the elements of the images …
    std::string after_images_;
};

}  // namespace nodesieve::bench
