#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <openssl/ssl.h>

namespace nodesieve::server {

struct service;

/// Answers the extender requests of one connection, one after the other, until the peer ends it, an
/// error or a timeout does, or the service drains. Returns then; throws nothing but what a bug or
/// the lack of memory throws.
///
/// Runs on the executor of `socket`, which must run one thing at a time. `shared` must outlive it.
boost::asio::awaitable<void> serve_tls(boost::asio::ip::tcp::socket socket, SSL_CTX* context,
                                       service& shared);

/// The same without TLS.
boost::asio::awaitable<void> serve_plain(boost::asio::ip::tcp::socket socket, service& shared);

}  // namespace nodesieve::server
