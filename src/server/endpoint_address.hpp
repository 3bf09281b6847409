#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace nodesieve::server {

/// An address to listen on, as an operator writes it.
struct endpoint_address {
    std::string host;        ///< empty for all interfaces; an IPv6 address is without its brackets
    std::uint16_t port = 0;  ///< 0 lets the system choose

    friend bool operator==(endpoint_address const&, endpoint_address const&) = default;
};

/// Reads "HOST:PORT", ":PORT" or "[IPV6]:PORT"; what the host means is left to to_endpoint().
/// Throws std::invalid_argument, whose text says what was expected and does not hold the input.
[[nodiscard]] endpoint_address parse_endpoint_address(std::string_view text);

/// The endpoint to bind. No host means any IPv6 address, which is IPv4 too if the socket is dual
/// stack; "localhost" means 127.0.0.1, so that no resolver is asked; everything else must be a
/// numeric address. Throws std::invalid_argument for a DNS name.
[[nodiscard]] boost::asio::ip::tcp::endpoint to_endpoint(endpoint_address const& address);

/// Whether only this machine can connect: 127.0.0.0/8, ::1 or localhost. False for a DNS name.
[[nodiscard]] bool is_loopback(endpoint_address const& address);

/// As parse_endpoint_address() reads it.
std::ostream& operator<<(std::ostream& out, endpoint_address const& address);

}  // namespace nodesieve::server
