#include "routes.hpp"

#include <algorithm>

namespace nodesieve::server {

std::string_view path_of(std::string_view target) noexcept {
    if (const auto scheme = target.find("://"); !target.starts_with('/') && scheme != target.npos) {
        const auto path = target.find('/', scheme + 3);
        target = path == target.npos ? "/" : target.substr(path);
    }
    if (!target.starts_with('/')) return {};
    return target.substr(0, target.find('?'));
}

route const* find_route(std::string_view target) noexcept {
    const auto* const found = std::ranges::find(routes, path_of(target), &route::path);
    return found == routes.end() ? nullptr : found;
}

}  // namespace nodesieve::server
