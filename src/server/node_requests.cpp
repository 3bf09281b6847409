#include "node_requests.hpp"

namespace nodesieve::server {
namespace {

constexpr std::string_view path = "/api/v1/nodes";
/// As client-go's pager: pages of some hundred KB.
constexpr std::string_view page_limit = "500";

/// As a value in a query (RFC 3986 section 2.3).
std::string escaped(std::string_view text) {
    static constexpr std::string_view digits = "0123456789ABCDEF";
    static constexpr std::string_view unreserved =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string result;
    for (const char c : text) {
        if (unreserved.find(c) != unreserved.npos) {
            result += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        result += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
    return result;
}

std::string accept(bool metadata_only, std::string_view kind) {
    if (!metadata_only) return "application/json";
    return "application/json;as=" + std::string(kind) + ";g=meta.k8s.io;v=v1";
}

}  // namespace

node_request list_request(std::string_view continue_token, bool metadata_only) {
    std::string target(path);
    target.append("?limit=").append(page_limit);
    if (!continue_token.empty()) target += "&continue=" + escaped(continue_token);
    return {std::move(target), accept(metadata_only, "PartialObjectMetadataList")};
}

node_request watch_request(std::string_view resource_version, std::chrono::seconds timeout,
                           bool metadata_only) {
    std::string target(path);
    target += "?watch=1&allowWatchBookmarks=true&resourceVersion=" + escaped(resource_version) +
              "&timeoutSeconds=" + std::to_string(timeout.count());
    return {std::move(target), accept(metadata_only, "PartialObjectMetadata")};
}

}  // namespace nodesieve::server
