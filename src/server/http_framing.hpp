#pragma once

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace nodesieve::server {

using header_parser = boost::beast::http::request_parser<boost::beast::http::empty_body>;

/// Watches the bytes of a request's header for what Beast's parser accepts and a server should not:
/// a field that goes on in a next line (obs-fold, RFC 9112 section 5.2).
class header_watch {
  public:
    /// Bytes in order, of the header and maybe of what stands behind it.
    void see(std::string_view bytes) noexcept;
    [[nodiscard]] bool folded() const noexcept { return folded_; }

  private:
    enum class state : std::uint8_t { in_line, at_line_start, after_empty_line };
    state state_ = state::at_line_start;
    bool first_line_ = true;
    bool folded_ = false;
};

/// Why a request's framing or target host must not be trusted: it could be read in two ways (RFC
/// 9112 sections 3.2 and 6.3). Empty when it can not. Precondition: the header is parsed.
[[nodiscard]] std::string_view framing_fault(header_parser const& parsed);

/// The header of a response, up to and with its empty line. `more` is whole lines with their CRLF.
[[nodiscard]] std::string response_head(unsigned status, std::string_view content_type,
                                        std::uint64_t content_length, bool keep_alive,
                                        std::string_view more = {});

}  // namespace nodesieve::server
