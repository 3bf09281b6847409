#pragma once

#include <boost/asio/ssl/context.hpp>
#include <filesystem>
#include <optional>

namespace nodesieve::bench {

/// The PEM files of a load's client.
struct tls_files {
    std::filesystem::path ca;  ///< what the servers' certificates must come from
    /// The client's own certificate with its chain, and its key; both or none.
    std::optional<std::filesystem::path> cert = {};
    std::optional<std::filesystem::path> key = {};
};

/// What the connections of a load share: verifies servers, shows the client's certificate if there
/// is one, prefers the cipher suites that kube-scheduler does (AES-128-GCM first), and takes from
/// the socket as much as is there. Throws std::runtime_error, naming the file that is wrong.
[[nodiscard]] boost::asio::ssl::context make_tls_client(tls_files const& files);

}  // namespace nodesieve::bench
