#include "endpoint_address.hpp"

#include <boost/asio/ip/address.hpp>

#include <charconv>
#include <ostream>
#include <stdexcept>

namespace nodesieve::server {

namespace {

constexpr std::string_view local_name = "localhost";

std::uint16_t parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, port);
    if (result.ec != std::errc{} || result.ptr != end)
        throw std::invalid_argument("expected a port from 0 to 65535 after the last colon");
    return port;
}

}  // namespace

endpoint_address parse_endpoint_address(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos)
        throw std::invalid_argument("expected HOST:PORT, :PORT or [IPV6]:PORT");
    auto host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
        if (host.find(':') == std::string_view::npos)
            throw std::invalid_argument("expected an IPv6 address between the brackets");
    } else if (host.find_first_of(":[]") != std::string_view::npos) {
        throw std::invalid_argument("expected brackets around an IPv6 address, as in [::1]:8443");
    }
    return {std::string(host), parse_port(text.substr(colon + 1))};
}

boost::asio::ip::tcp::endpoint to_endpoint(endpoint_address const& address) {
    namespace ip = boost::asio::ip;
    if (address.host.empty()) return {ip::address_v6::any(), address.port};
    if (address.host == local_name) return {ip::address_v4::loopback(), address.port};
    boost::system::error_code error;
    const auto numeric = ip::make_address(address.host, error);
    if (error)
        throw std::invalid_argument(
            "expected a numeric address, localhost or no host, because names are not looked up");
    return {numeric, address.port};
}

bool is_loopback(endpoint_address const& address) {
    if (address.host == local_name) return true;
    boost::system::error_code error;
    const auto numeric = boost::asio::ip::make_address(address.host, error);
    return !error && numeric.is_loopback();
}

std::ostream& operator<<(std::ostream& out, endpoint_address const& address) {
    const bool brackets = address.host.find(':') != std::string::npos;
    out << (brackets ? "[" : "") << address.host << (brackets ? "]" : "");
    return out << ':' << std::to_string(address.port);
}

}  // namespace nodesieve::server
