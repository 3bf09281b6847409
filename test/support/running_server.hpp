#pragma once

#include "test_certificates.hpp"
#include "wire_client.hpp"

#include "extender_server.hpp"
#include "log.hpp"

#include <string>

namespace nodesieve::test {

/// The settings of a server on free ports of the loopback, with the certificates' files.
[[nodiscard]] server::options test_options(test_certificates const& certificates);

/// Certificates that all tests of a program share: making them takes some milliseconds.
[[nodiscard]] test_certificates const& shared_certificates();

/// A server in this process, on threads of its own, until this object goes.
class running_server {
  public:
    explicit running_server(server::options settings = test_options(shared_certificates()));

    [[nodiscard]] wire_client connect(int tls_version = TLS1_3_VERSION);
    [[nodiscard]] wire_client connect_plain();
    [[nodiscard]] wire_client connect_admin();
    [[nodiscard]] server::extender_server& operator*() noexcept { return server_; }
    [[nodiscard]] server::extender_server* operator->() noexcept { return &server_; }

    /// What the log holds so far.
    [[nodiscard]] std::string log_text() const;
    /// The value of the line of /metrics that starts with `series` and a blank.
    [[nodiscard]] std::string metric(std::string_view series);

  private:
    temporary_directory directory_;
    int log_file_;
    server::log log_;
    server::extender_server server_;
};

}  // namespace nodesieve::test
