#pragma once

#include "node_document.hpp"

#include <nodesieve/body_segment.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nodesieve {

/// What parse_ahead() found. Offsets count from the start of the segment.
struct body_segment::ahead {
    explicit ahead(std::vector<std::string> const& label_names)
        : labels(label_names), document(std::make_unique<node_document>(label_names)) {}

    struct node {
        std::size_t text_at;
        std::size_t text_size;
        std::size_t name_at;  // in names
        std::size_t name_size;
        std::int32_t memory_mib;
    };

    void parse(std::string_view text);
    void clear() noexcept;
    [[nodiscard]] std::string_view name_of(node const& n) const noexcept {
        return std::string_view(names).substr(n.name_at, n.name_size);
    }

    std::vector<std::string> const& labels;

    std::optional<std::size_t> guess;  ///< where a Node starts, if anywhere
    std::vector<node> nodes;           ///< complete ones, from the guess on, separated by commas
    std::string names;
    std::size_t end = 0;  ///< behind the last of them
    /// Where the Node starts that goes on behind the segment: `document` has read its first part.
    std::optional<std::size_t> suspended;
    std::unique_ptr<node_document> document;
};

}  // namespace nodesieve
