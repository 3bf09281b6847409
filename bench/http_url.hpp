#pragma once

#include <string>
#include <string_view>

namespace nodesieve::bench {

/// The parts of http[s]://HOST[:PORT][/PATH], where HOST is a name, an IPv4 address or an IPv6
/// address in brackets.
struct http_url {
    bool tls = true;
    std::string host;       ///< without the brackets of an IPv6 address
    std::string port;       ///< 443 or 80 when the URL gives none
    std::string authority;  ///< host and port as the URL gives them
    std::string path;       ///< with its slash; empty when there is none

    /// Throws std::invalid_argument, with the URL in its message, when it has another shape.
    [[nodiscard]] static http_url parse(std::string_view url);

    /// The URL again.
    [[nodiscard]] std::string text() const;
};

}  // namespace nodesieve::bench
