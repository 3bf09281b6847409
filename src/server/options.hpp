#pragma once

#include "log.hpp"

#include <nodesieve/limits.hpp>
#include <nodesieve/policy.hpp>
#include <nodesieve/request_pipeline.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace nodesieve::server {

/// What the command line asks for.
enum class command : std::uint8_t { serve, version, help };

/// How long each step of a connection may take; 1 ms to 1 h.
struct timeouts {
    std::chrono::milliseconds handshake = std::chrono::seconds(5);
    std::chrono::milliseconds header = std::chrono::seconds(2);
    std::chrono::milliseconds read = std::chrono::seconds(10);  ///< a whole request
    std::chrono::milliseconds write = std::chrono::seconds(10);
    /// Between requests. Above the 90 s of Go's client, which does not retry a POST on a connection
    /// that the server closed.
    std::chrono::milliseconds idle = std::chrono::seconds(120);
};

/// Where the nodes are known from that a request only names.
enum class node_cache_mode : std::uint8_t {
    off,    ///< nowhere: such requests are refused
    watch,  ///< list and watch of the API server
};

/// What the server runs with; the defaults are those of the flags. Plain data.
struct options {
    server::command command = server::command::serve;

    std::string listen = ":8443";  ///< to_endpoint() takes it; loopback if insecure_http
    std::string admin_listen = ":8080";
    bool insecure_http = false;

    std::filesystem::path tls_cert = "/etc/extender-tls/tls.crt";
    std::filesystem::path tls_key = "/etc/extender-tls/tls.key";
    std::filesystem::path client_ca = "/etc/extender-tls/client-ca.crt";

    nodesieve::limits limits;
    unsigned threads = 0;  ///< 0 to 1024; 0: as many as the cgroup's CPU quota lets run

    policy_config policy;
    invalid_pod_answer invalid_pod = invalid_pod_answer::error;

    node_cache_mode node_cache = node_cache_mode::off;
    std::chrono::milliseconds node_cache_max_age = std::chrono::minutes(5);  ///< 1 ms to 1 h
    names_reply named = names_reply::full;
    std::filesystem::path kubeconfig;  ///< empty: the credentials of the Pod's service account

    /// How long second_look may hold a reply: many times what the two watches are apart, and less
    /// than a Pod costs kube-scheduler at 5,000 nodes. No flag: only tests change it.
    std::chrono::milliseconds second_look_patience = std::chrono::milliseconds(50);

    server::timeouts timeouts;
    server::log_format log_format = server::log_format::text;
};

/// A flag or variable that cannot be used. what() is one line: the flag or variable, what was seen,
/// what was expected and an example of it. It quotes the operator's own text.
class option_error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The value of an environment variable, or null: std::getenv for a process.
using environment = std::function<char const*(char const* name)>;

/// Reads the command line and the environment; throws option_error.
///
/// Flags are as Go's flag package takes them (-x=1, --x=1, -x 1; the last one counts), or as
/// help_text() lists them. A flag that the command line does not name is taken from its variable,
/// NODESIEVE_MAX_NODES for --max-nodes, unless that is empty. Other NODESIEVE_ variables are
/// ignored, because Kubernetes sets some for a Service named nodesieve (NODESIEVE_SERVICE_HOST,
/// NODESIEVE_PORT and so on; no flag may be named like them).
///
/// With --help, --version or `version` nothing but `command` is read.
[[nodiscard]] options parse_options(int argc, char const* const* argv,
                                    environment const& variables);

/// What --help prints: at most 40 lines of at most 80 columns.
[[nodiscard]] std::string help_text();

}  // namespace nodesieve::server
