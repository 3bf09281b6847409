#pragma once

#include <nodesieve/request_pipeline.hpp>

#include <boost/beast/http/verb.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nodesieve::server {

/// An extender endpoint: one path, one method.
struct route {
    std::string_view path;
    boost::beast::http::verb method;
    verb what;
};

/// The extender's port. 404 and 405 fall out of it.
inline constexpr std::array routes{
    route{"/filter", boost::beast::http::verb::post, verb::filter},
    route{"/prioritize", boost::beast::http::verb::post, verb::prioritize},
    route{"/preempt", boost::beast::http::verb::post, verb::preempt},
};

/// The path of a request target (RFC 9112 section 3.2) in origin or absolute form, without its
/// query; empty for other forms.
[[nodiscard]] std::string_view path_of(std::string_view target) noexcept;

/// The route whose path a target has. Paths are compared byte by byte: nothing is decoded or
/// cleaned.
[[nodiscard]] route const* find_route(std::string_view target) noexcept;

}  // namespace nodesieve::server
