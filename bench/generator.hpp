#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node_template.hpp"

namespace nodesieve::bench {

/// What a filter reply must say of a node.
enum class expected_verdict {
    fits,                  ///< the node's bytes come back
    missing_or_bad_label,  ///< a minimum is asked for, and the node has no label or an invalid one
    below_minimum,         ///< the label is valid and below the minimum
};

/// The reason a filter reply must give, word for word; empty for `fits`.
[[nodiscard]] std::string_view reason_text(expected_verdict verdict);

std::ostream& operator<<(std::ostream& out, expected_verdict verdict);

/// One node of a generated body, with what the answers about it must be.
struct generated_node {
    std::string name;
    std::size_t offset =
        0;  ///< where its JSON starts in the body: an object, or (names only) a string
    std::size_t size = 0;  ///< bytes of that JSON
    int memory_mib = 0;    ///< what its label declares; 0 when it is missing or bad
    expected_verdict verdict = expected_verdict::fits;
    int score = 0;  ///< on the wire: 0..10
};

/// A body and the expectations that go with it. Plain data: offsets, so moving it keeps them valid.
struct generated_args {
    std::string body;
    std::vector<generated_node> nodes;  ///< in the order of the body
    bool names_only = false;

    /// The JSON of a node of this body, valid as long as the body.
    [[nodiscard]] std::string_view json_of(generated_node const& node) const {
        return std::string_view(body).substr(node.offset, node.size);
    }
};

/// Where the Nodes and the Pod come from.
struct template_source {
    /// Holds node-*.json. What the star stands for becomes part of node names, so it must be
    /// lower-case letters, digits and dashes.
    std::filesystem::path folder;
    /// A file of the folder, such as "pod-gpu-indexed-1.json"; empty takes a small built-in GPU
    /// Pod.
    std::string pod_file = {};
    /// Also the node templates with "derived" in their name, which were edited to be extreme.
    bool include_derived = false;
};

/// One body. Nodes that are neither missing nor bad carry a valid label.
struct generator_params {
    std::size_t nodes = 5000;
    std::uint64_t seed = 1;
    unsigned missing_percent = 20;    ///< share of nodes without the label
    unsigned bad_percent = 10;        ///< share of nodes with a label that no policy may accept
    std::optional<int> min_mib = {};  ///< the Pod's annotation; none means that every node fits
    bool names_only = false;          ///< NodeNames instead of Nodes, as for nodeCacheCapable: true
    /// Share of nodes made from a template that has GPUs; none takes all templates alike.
    std::optional<unsigned> gpu_percent = {};
    /// Images on a node, on average (between half and one and a half of it): they are what makes a
    /// Node large. None keeps those of each template, about 22.
    std::optional<unsigned> images = {};
};

/// Makes ExtenderArgs bodies as kube-scheduler puts them on the wire, and what must be answered to
/// them.
///
/// The nodes are copies of real ones that differ in name, hostname label and GPU-memory label. The
/// expectations come from what the seed chose, never from reading the body back, and share no code
/// with the server: they are what it is judged by.
///
/// The same templates, seed and parameters give the same bytes on every machine. Owns its
/// templates; `generate` is const and may run on several threads at once.
class generator {
  public:
    /// Reads and prepares the templates once. Throws std::runtime_error, naming the file, when one
    /// cannot be read, is not JSON of the right shape, when there is no node template, or when the
    /// Pod requests no GPU (its scores would all be 0, whatever the nodes).
    explicit generator(template_source const& source);

    /// Throws std::invalid_argument when the shares add up to more than 100, the minimum is outside
    /// 1..1048576, more than 1000 images are asked for, or the templates lack what the parameters
    /// ask for (images, nodes with GPUs, nodes without). Linear in the body's size; holds little
    /// more than the body.
    [[nodiscard]] generated_args generate(generator_params const& params) const;

  private:
    struct node_choice;

    [[nodiscard]] std::vector<node_choice> choose(generator_params const& params) const;
    [[nodiscard]] std::size_t template_for(std::uint64_t draw,
                                           generator_params const& params) const;
    [[nodiscard]] std::string images_for(node_choice const& choice) const;
    [[nodiscard]] std::size_t size_of(node_choice const& choice) const;
    /// What must be answered; its name and place in the body are not known yet.
    static generated_node expected_node(node_choice const& choice, generator_params const& params);
    void append_node(std::string& body, std::string_view name, node_choice const& choice,
                     generator_params const& params) const;

    std::vector<node_template> templates_;
    std::vector<std::size_t> with_gpu_;     // indices into templates_ …
    std::vector<std::size_t> without_gpu_;  // … and those of the others
    std::vector<std::string> images_;       // of all templates, as JSON
    std::string pod_without_minimum_;
    std::string pod_to_minimum_;  ///< the Pod with the annotation, up to its value …
    std::string pod_rest_;        ///< … and after it
};

}  // namespace nodesieve::bench
