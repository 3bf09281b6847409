#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace nodesieve::bench {

/// The PEM files of a client.
struct client_tls_files {
    std::filesystem::path ca;    ///< what the server's certificate must come from
    std::filesystem::path cert;  ///< the client's own, with its chain
    std::filesystem::path key;
};

struct https_reply {
    unsigned status = 0;
    std::string content_type;
    std::string body;
};

/// Posts JSON over HTTP/1.1 and mutual TLS as kube-scheduler does to an extender: one connection,
/// kept alive from one request to the next.
///
/// A request that fails is not repeated: Go does not repeat a POST either, and a benchmark must not
/// hide one. Every failure is a std::runtime_error whose message names host, port and what failed;
/// the next post then opens a new connection. Not thread-safe: one client per thread.
class https_client {
  public:
    /// Reads the files and connects, so that the first post measures no handshake. `base_url` is
    /// https://HOST[:PORT], where HOST is a name, an IPv4 address or an IPv6 address in brackets;
    /// the server's certificate must be valid for it. Throws std::invalid_argument for any other
    /// URL.
    ///
    /// `timeout` bounds connecting, and each post as a whole. Looking up the name is left to the
    /// system's own limits.
    https_client(std::string_view base_url, client_tls_files const& files,
                 std::chrono::seconds timeout = std::chrono::seconds(60));
    ~https_client();

    https_client(https_client const&) = delete;
    https_client& operator=(https_client const&) = delete;

    /// Sends `body`, which is not copied, and waits for the whole reply, however large. Any status
    /// is a reply, not an error. `path` starts with a slash.
    [[nodiscard]] https_reply post(std::string_view path, std::string_view body);

  private:
    class connection;  // keeps Asio out of what includes this

    std::unique_ptr<connection> connection_;
};

}  // namespace nodesieve::bench
