#include "http_framing.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>

#include <ctime>

namespace nodesieve::server {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

void append_two_digits(std::string& to, int number) {
    to.push_back(static_cast<char>('0' + number / 10 % 10));
    to.push_back(static_cast<char>('0' + number % 10));
}

/// Now as a Date field says it (RFC 9110 section 5.6.7); does not follow the locale.
std::string http_date() {
    static constexpr std::string_view days = "SunMonTueWedThuFriSat";
    static constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::string text(days.substr(3 * static_cast<std::size_t>(utc.tm_wday), 3));
    append_two_digits(text.append(", "), utc.tm_mday);
    text.append(" ").append(months.substr(3 * static_cast<std::size_t>(utc.tm_mon), 3)).append(" ");
    text.append(std::to_string(1900 + utc.tm_year));
    append_two_digits(text.append(" "), utc.tm_hour);
    append_two_digits(text.append(":"), utc.tm_min);
    append_two_digits(text.append(":"), utc.tm_sec);
    return text.append(" GMT");
}

}  // namespace

void header_watch::see(std::string_view bytes) noexcept {
    for (const char c : bytes) {
        if (state_ == state::after_empty_line) return;
        if (c == '\n') {
            state_ = state_ == state::at_line_start && !first_line_ ? state::after_empty_line
                                                                    : state::at_line_start;
            first_line_ = false;
        } else if (c != '\r') {
            if (state_ == state::at_line_start && !first_line_ && (c == ' ' || c == '\t'))
                folded_ = true;
            state_ = state::in_line;
        }
    }
}

std::string_view framing_fault(header_parser const& parsed) {
    auto const& request = parsed.get();
    const auto lengths = request.count(http::field::content_length);
    const auto encodings = request.count(http::field::transfer_encoding);
    if (request.version() != 10 && request.version() != 11) return "HTTP/1.0 or HTTP/1.1 expected";
    if (encodings > 0 && lengths > 0) return "both Content-Length and Transfer-Encoding";
    if (lengths > 1 || request[http::field::content_length].find(',') != beast::string_view::npos)
        return "more than one Content-Length";
    if (encodings > 1 ||
        (encodings == 1 && !beast::iequals(request[http::field::transfer_encoding], "chunked")))
        return "a Transfer-Encoding other than chunked";
    if (encodings == 1 && request.version() == 10) return "Transfer-Encoding in HTTP/1.0";
    const auto hosts = request.count(http::field::host);
    if (hosts > 1 || (hosts == 0 && request.version() == 11)) return "exactly one Host expected";
    if (request[http::field::host].find_first_of(" \t,") != beast::string_view::npos)
        return "a Host that is none";
    return {};
}

std::string response_head(unsigned status, std::string_view content_type,
                          std::uint64_t content_length, bool keep_alive, std::string_view more) {
    std::string text = "HTTP/1.1 " + std::to_string(status) + ' ';
    text.append(http::obsolete_reason(static_cast<http::status>(status)));
    text.append("\r\nDate: ").append(http_date());
    text.append("\r\nContent-Type: ").append(content_type);
    text.append("\r\nContent-Length: ").append(std::to_string(content_length)).append("\r\n");
    text.append(more);
    if (!keep_alive) text.append("Connection: close\r\n");
    return text.append("\r\n");
}

}  // namespace nodesieve::server
