#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http_url.hpp"

namespace nodesieve::bench {

/// A POST as it goes over the wire, made once and sent any number of times. The body is shared and
/// not copied, but for its first bytes, which go with the head so that a small request is one
/// record of TLS and one segment of TCP:
///
///     opening: POST /filter HTTP/1.1 … CRLF CRLF {"Pod":…    rest: … (in the caller's body)
///
/// Immutable: any number of threads may send it.
class wire_request {
  public:
    /// `body` must outlive this.
    wire_request(http_url const& url, std::string_view body, bool keep_alive);

    [[nodiscard]] std::string_view opening() const noexcept { return opening_; }
    [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
    [[nodiscard]] std::size_t size() const noexcept { return opening_.size() + rest_.size(); }

  private:
    std::string opening_;
    std::string_view rest_;
};

}  // namespace nodesieve::bench
