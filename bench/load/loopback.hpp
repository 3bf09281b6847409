#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <vector>

#include "http_url.hpp"

namespace nodesieve::bench {

/// Where the server of a URL listens: a load is for this machine only. Throws std::runtime_error,
/// with one line that names the URL, when the host has no address, or one that is not loopback.
[[nodiscard]] std::vector<boost::asio::ip::tcp::endpoint> loopback_endpoints(http_url const& url);

}  // namespace nodesieve::bench
