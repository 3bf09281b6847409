#pragma once

#include "options.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nodesieve::server {

/// A configuration that cannot be used. what() is one line: the file or variable, the context and
/// user, what was seen and what to use instead. It holds no secret.
class kube_config_error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A text that stands in the configuration, or in a file that is read at each use, because what
/// rotates credentials rewrites it.
struct text_source {
    std::string text;
    std::filesystem::path file;

    [[nodiscard]] bool given() const noexcept { return !text.empty() || !file.empty(); }
    /// Throws kube_config_error, which names the file.
    [[nodiscard]] std::string read() const;
};

/// Where the API server is and how to show it who asks. Plain data.
struct kube_config {
    std::string host;  ///< a DNS name or an address, without brackets
    std::string port;
    std::string path;         ///< in front of /api; empty or starts with '/', ends with none
    std::string server_name;  ///< the DNS name or address that the certificate must be for
    bool verify = true;       ///< false: any certificate is taken
    text_source authority;    ///< PEM; not given: the system's
    text_source certificate;  ///< PEM, of the client; given if `key` is
    text_source key;
    text_source token;
    std::vector<std::string> warnings;  ///< one line each

    /// The token as it goes into a header, empty if there is none. Throws kube_config_error.
    [[nodiscard]] std::string read_token() const;
    /// The value of the Host field.
    [[nodiscard]] std::string host_field() const;
};

/// The current context of a kubeconfig file (k8s.io/client-go/tools/clientcmd/api/v1): https
/// servers; client certificates and tokens, embedded or in files. Throws kube_config_error.
[[nodiscard]] kube_config read_kubeconfig(std::filesystem::path const& file);

/// What the kubelet gives a Pod (k8s.io/client-go/rest, InClusterConfig): the variables
/// KUBERNETES_SERVICE_HOST and _PORT, and the service account's token and ca.crt in `folder`.
/// Throws kube_config_error.
[[nodiscard]] kube_config in_cluster_config(
    environment const& variables,
    std::filesystem::path const& folder = "/var/run/secrets/kubernetes.io/serviceaccount");

}  // namespace nodesieve::server
