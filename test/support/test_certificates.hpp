#pragma once

#include "temporary_directory.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace nodesieve::test {

/// A certificate and its key (P-256), both PEM.
struct identity {
    std::string certificate;
    std::string key;
};

/// What a certificate says. Times are relative to now, so that no test has to wait.
struct certificate_spec {
    std::string common_name = "localhost";
    /// As in OpenSSL's configuration; empty for no such extension.
    std::string alternative_names = "DNS:localhost,IP:127.0.0.1,IP:::1";
    std::string extended_key_usage = "serverAuth,clientAuth";
    bool authority = false;
    std::chrono::seconds not_before = std::chrono::hours(-1);
    std::chrono::seconds not_after = std::chrono::hours(24);
};

/// The spec of a CA.
[[nodiscard]] certificate_spec authority_spec(std::string common_name = "test CA");

/// The spec of a client as kube-scheduler's is: a common name only, for client authentication.
[[nodiscard]] certificate_spec client_spec();

/// A certificate, and a new key, that signs itself.
[[nodiscard]] identity self_signed(certificate_spec const& spec);

/// A certificate, and a new key, signed by `issuer`.
[[nodiscard]] identity issue(certificate_spec const& spec, identity const& issuer);

/// The key as it is stored under a passphrase.
[[nodiscard]] std::string encrypted_key(identity const& of);

/// A CA, a server for localhost and a client, in files that live as long as this object.
struct test_certificates {
    test_certificates();

    identity ca;
    identity server;
    identity client;

    temporary_directory directory;
    std::filesystem::path ca_file;
    std::filesystem::path server_certificate_file;
    std::filesystem::path server_key_file;
    std::filesystem::path client_certificate_file;
    std::filesystem::path client_key_file;
};

}  // namespace nodesieve::test
