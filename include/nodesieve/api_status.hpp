#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nodesieve {

/// What the API server says instead of an answer, or in a watch's last event: the fields of a
/// metav1.Status that a client acts on or shows. Texts are cut at 1 KiB.
struct api_status {
    int code = 0;         ///< as an HTTP status; 0: none given
    std::string reason;   ///< one word such as Expired
    std::string message;  ///< for people
};

/// Reads the body of a refusal; empty for what is no metav1.Status, such as a proxy's page.
[[nodiscard]] std::optional<api_status> parse_api_status(std::string_view body);

/// Code, reason and message, for logs.
[[nodiscard]] std::string to_line(api_status const& status);

}  // namespace nodesieve
