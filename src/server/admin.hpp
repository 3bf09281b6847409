#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace nodesieve::server {

struct service;

/// Answers one connection of the admin port, plain HTTP for Prometheus and the kubelet, which have
/// no client certificate:
///
///     GET /metrics    the metrics
///     GET /healthz    200 while the process runs
///     GET /readyz     200 while requests are welcome; 503 from the begin of a shutdown, and while
///                     the node cache, where there is one, is empty or too old
///
/// Nothing on it names a Pod. `shared` must outlive it.
boost::asio::awaitable<void> serve_admin(boost::asio::ip::tcp::socket socket, service& shared);

}  // namespace nodesieve::server
