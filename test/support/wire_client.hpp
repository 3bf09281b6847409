#pragma once

#include "test_certificates.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace nodesieve::test {

using response = boost::beast::http::response<boost::beast::http::string_body>;

/// A request as it goes over the wire; `fields` are whole lines with their CRLF.
[[nodiscard]] std::string request_text(std::string_view method, std::string_view target,
                                       std::string_view body, std::string_view fields = {});

/// `body` as chunks of `size` bytes (RFC 9112 section 7.1).
[[nodiscard]] std::string chunked(std::string_view body, std::size_t size);

/// One blocking connection that sends exactly the bytes it is told to, over TLS in records of a
/// chosen size. Waits at most 20 s for anything. Throws std::runtime_error.
class wire_client {
  public:
    /// Plain TCP.
    explicit wire_client(boost::asio::ip::tcp::endpoint const& server);
    /// TLS to a server whose certificate `ca` signed, as `client`, or without a certificate. Of TLS
    /// 1.3 the refusal of a client shows when it receives.
    wire_client(boost::asio::ip::tcp::endpoint const& server, identity const& ca,
                std::optional<identity> const& client, int tls_version = TLS1_3_VERSION);
    ~wire_client();
    wire_client(wire_client const&) = delete;
    wire_client& operator=(wire_client const&) = delete;

    void send(std::string_view bytes, std::size_t record_bytes = 16384);

    /// The next answer; `head` for the answer to a HEAD request.
    [[nodiscard]] response receive(bool head = false);

    /// Whether the server ends the connection and sends nothing before it.
    [[nodiscard]] bool is_closed();

    /// Some bytes as they come, at least one; empty at the end of the connection.
    [[nodiscard]] std::string receive_some();

    /// Ends the connection with a reset.
    void reset();

  private:
    struct ssl_deleter {
        void operator()(SSL* ssl) const { SSL_free(ssl); }
    };
    struct context_deleter {
        void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    };

    void connect(boost::asio::ip::tcp::endpoint const& server);
    void send_plain(std::string_view bytes);
    void flush();

    boost::asio::io_context io_;
    boost::asio::ip::tcp::socket socket_{io_};
    std::unique_ptr<SSL_CTX, context_deleter> context_;
    std::unique_ptr<SSL, ssl_deleter> ssl_;
    boost::beast::flat_buffer buffer_;
};

}  // namespace nodesieve::test
