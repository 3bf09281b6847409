#pragma once

#include "event_loops.hpp"
#include "log.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <functional>
#include <string_view>

namespace nodesieve::server {

/// An open socket that listens. For "any address" IPv6 with IPv4 on it is tried first, then IPv4
/// alone. Throws std::runtime_error with one line that names `flag` and `address`.
[[nodiscard]] boost::asio::ip::tcp::acceptor open_listener(boost::asio::any_io_executor executor,
                                                           std::string_view flag,
                                                           std::string_view address);

/// Accepts until `stopping` is set and `acceptor` cancelled, in this order and on the executor that
/// runs this; then what waits in the backlog already, and closes it. Hands each connection over on
/// an executor of `loops`. Lives through every other error: when there are no more descriptors it
/// waits a little instead of spinning, and says so at most once a second. The references must
/// outlive it.
boost::asio::awaitable<void> accept_connections(
    boost::asio::ip::tcp::acceptor& acceptor, event_loops& loops,
    std::function<void(boost::asio::ip::tcp::socket)> hand_over, std::atomic<bool> const& stopping,
    log& logged, log_throttle& errors);

}  // namespace nodesieve::server
