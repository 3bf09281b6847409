#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace nodesieve::server {

/// A GET request to the API server.
struct node_request {
    std::string target;
    std::string accept;  ///< the value of Accept
};

/// A page of all nodes, the first one without `continue_token`. `metadata_only`: asks for
/// PartialObjectMetadata in place of Nodes (k8s.io/apimachinery/pkg/apis/meta/v1).
[[nodiscard]] node_request list_request(std::string_view continue_token, bool metadata_only);

/// A watch of all nodes with bookmarks, of what comes behind `resource_version`.
[[nodiscard]] node_request watch_request(std::string_view resource_version,
                                         std::chrono::seconds timeout, bool metadata_only);

}  // namespace nodesieve::server
