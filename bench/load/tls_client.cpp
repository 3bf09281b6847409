#include "tls_client.hpp"

#include <openssl/ssl.h>

#include <boost/system/error_code.hpp>
#include <stdexcept>
#include <string>

namespace nodesieve::bench {

namespace ssl = boost::asio::ssl;

namespace {

constexpr std::size_t read_buffer_bytes = 256 * 1024;

void check(boost::system::error_code const& ec, char const* what,
           std::filesystem::path const& file) {
    if (ec) throw std::runtime_error(std::string(what) + ' ' + file.string() + ": " + ec.message());
}

}  // namespace

ssl::context make_tls_client(tls_files const& files) {
    ssl::context context(ssl::context::tls_client);
    SSL_CTX* const native = context.native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    // The order in which Go offers them on machines that have AES instructions.
    SSL_CTX_set_ciphersuites(
        native, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
    SSL_CTX_set_mode(native, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(native, 1);
    SSL_CTX_set_default_read_buffer_len(native, read_buffer_bytes);

    boost::system::error_code ec;
    context.set_verify_mode(ssl::verify_peer);
    context.load_verify_file(files.ca.string(), ec);
    check(ec, "reading the CA", files.ca);
    if (files.cert) {
        context.use_certificate_chain_file(files.cert->string(), ec);
        check(ec, "reading the certificate", *files.cert);
    }
    if (files.key) {
        context.use_private_key_file(files.key->string(), ssl::context::pem, ec);
        check(ec, "reading the key", *files.key);
    }
    return context;
}

}  // namespace nodesieve::bench
