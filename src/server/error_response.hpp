#pragma once

#include <nodesieve/error.hpp>

#include <string>
#include <string_view>

namespace nodesieve::server {

/// An answer that is not 200. `body` is plain text whose first line is the reference's.
struct error_response {
    unsigned status = 0;
    std::string body;
    /// The value of Allow (RFC 9110 section 10.2.1); empty for none.
    std::string_view allow;
};

/// The one map from errc to HTTP status.
[[nodiscard]] unsigned status_of(errc e) noexcept;

/// The reference's sentence and, on a second line, what was seen.
[[nodiscard]] error_response to_response(diagnostics const& failure);

[[nodiscard]] error_response not_found();
[[nodiscard]] error_response method_not_allowed(std::string_view allow);
/// A request that is not HTTP/1.1, or contradicts itself.
[[nodiscard]] error_response bad_request(std::string_view why);
[[nodiscard]] error_response request_timeout(std::string_view flag);
[[nodiscard]] error_response header_too_large();

}  // namespace nodesieve::server
