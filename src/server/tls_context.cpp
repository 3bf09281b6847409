#include "tls_context.hpp"

#include "log.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string_view>
#include <system_error>

namespace nodesieve::server {

namespace {

template <auto Free>
struct releases {
    template <class Type>
    void operator()(Type* object) const noexcept {
        Free(object);
    }
};

using bio_ptr = std::unique_ptr<BIO, releases<BIO_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, releases<EVP_PKEY_free>>;
using names_ptr = std::unique_ptr<GENERAL_NAMES, releases<GENERAL_NAMES_free>>;
using certificate_ptr = std::unique_ptr<X509, releases<X509_free>>;
using certificates = std::vector<certificate_ptr>;

/// Empties OpenSSL's error queue on both ends of a scope, so that reason() is this scope's and no
/// later call of another session on this thread fails for it.
struct clean_error_queue {
    clean_error_queue() { ERR_clear_error(); }
    ~clean_error_queue() { ERR_clear_error(); }
    clean_error_queue(clean_error_queue const&) = delete;
    clean_error_queue& operator=(clean_error_queue const&) = delete;
};

/// What OpenSSL says about the last failure.
std::string reason() {
    char const* const text = ERR_reason_error_string(ERR_peek_last_error());
    return text != nullptr ? text : "no reason given";
}

struct pem_file {
    std::string_view flag;
    std::filesystem::path path;
    std::string text;

    [[nodiscard]] std::string line(std::string_view what) const {
        return std::string(flag) + '=' + in_quotes(path.native()) + ": " + std::string(what);
    }
    [[noreturn]] void refuse(std::string_view what) const { throw tls_error(line(what)); }

    [[nodiscard]] bio_ptr reader() const {
        return bio_ptr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    }
};

pem_file read_file(std::string_view flag, std::filesystem::path const& path) {
    constexpr std::size_t most = 1024 * 1024;  // a bundle of all public CAs is a quarter of that
    pem_file result{flag, path, std::string(most + 1, '\0')};
    const auto name = [flag] { return "; name a readable PEM file with " + std::string(flag); };

    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::is_fifo(status))
        result.refuse("is a FIFO, which would be waited for" + name());
    const std::unique_ptr<std::FILE, releases<std::fclose>> file(std::fopen(path.c_str(), "rb"));
    if (!file)
        result.refuse("cannot be opened: " + std::generic_category().message(errno) + name());
    result.text.resize(std::fread(result.text.data(), 1, result.text.size(), file.get()));
    if (std::ferror(file.get()) != 0)
        result.refuse("cannot be read: " + std::generic_category().message(errno) + name());
    if (result.text.size() > most) result.refuse("is larger than 1 MiB" + name());
    if (result.text.find("-----BEGIN ") == std::string::npos)
        result.refuse((result.text.empty() ? "is empty" : "is not PEM") + name());
    return result;
}

certificates read_certificates(pem_file const& file) {
    certificates result;
    const auto reader = file.reader();
    while (certificate_ptr next{PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)})
        result.push_back(std::move(next));
    // The end of the file is reported as a missing start line.
    if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
        file.refuse("certificate " + std::to_string(result.size() + 1) + " is damaged (" +
                    reason() + "); write the file anew");
    if (result.empty())
        file.refuse("holds no certificate, but other PEM; name the certificate's file with " +
                    std::string(file.flag));
    return result;
}

/// In place of OpenSSL's own, which asks the terminal.
int refuse_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
    *static_cast<bool*>(asked) = true;
    return -1;
}

key_ptr read_key(pem_file const& file) {
    bool encrypted = false;
    key_ptr key(
        PEM_read_bio_PrivateKey(file.reader().get(), nullptr, refuse_passphrase, &encrypted));
    if (encrypted)
        file.refuse("is encrypted; decrypt it, as with openssl pkey, because nobody can be asked");
    if (!key)
        file.refuse("holds no private key that can be read (" + reason() +
                    "); name the certificate's key with " + std::string(file.flag));
    return key;
}

/// Keeps clients from showing the certificate of a CA as their own, which OpenSSL allows.
int verify_client(int accepted, X509_STORE_CTX* chain) {
    if (accepted == 0 || X509_STORE_CTX_get_error_depth(chain) != 0) return accepted;
    constexpr int by_basic_constraints = 1;
    if (X509_check_ca(X509_STORE_CTX_get_current_cert(chain)) != by_basic_constraints) return 1;
    X509_STORE_CTX_set_error(chain, X509_V_ERR_INVALID_PURPOSE);
    return 0;
}

/// http/1.1, which is faster for large bodies than h2's flow control; kube-scheduler offers both.
/// A client that offers neither goes on without ALPN.
int choose_protocol(SSL* /*session*/, unsigned char const** chosen, unsigned char* length,
                    unsigned char const* offered, unsigned offered_length, void* /*context*/) {
    static constexpr unsigned char ours[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    unsigned char* found = nullptr;
    if (SSL_select_next_proto(&found, length, ours, sizeof ours, offered, offered_length) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

/// What no file can make fail.
void require(bool done) {
    if (!done) throw tls_error("OpenSSL refuses its own settings: " + reason());
}

void set_protocol(SSL_CTX* context) {
    require(SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1);
    require(SSL_CTX_set_cipher_list(context,
                                    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
                                    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
                                    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305") ==
            1);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // Otherwise the server's chain is completed from the clients' CAs.
    SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);

    // Without an id, resumption with client certificates fails the handshake:
    // https://github.com/openssl/openssl/issues/10168
    static constexpr unsigned char id[] = {'n', 'o', 'd', 'e', 's', 'i', 'e', 'v', 'e'};
    require(SSL_CTX_set_session_id_context(context, id, sizeof id) == 1);
    // Tickets do not need the store, which holds 20,000 sessions with their certificates.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

void set_identity(SSL_CTX* context, pem_file const& file, certificates const& chain,
                  pem_file const& key_file) {
    const auto key = read_key(key_file);
    if (X509_check_private_key(chain.front().get(), key.get()) != 1)
        key_file.refuse("is not the key of the first certificate in --tls-cert=" +
                        in_quotes(file.path.native()) +
                        "; give both from one pair, the server's own certificate first");
    if (SSL_CTX_use_certificate(context, chain.front().get()) != 1)
        file.refuse("is refused by OpenSSL (" + reason() + "); issue another one");
    if (SSL_CTX_use_PrivateKey(context, key.get()) != 1)
        key_file.refuse("is refused by OpenSSL (" + reason() + "); make another pair");
    for (std::size_t i = 1; i < chain.size(); ++i)
        if (SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1)
            file.refuse("certificate " + std::to_string(i + 1) + " is refused by OpenSSL (" +
                        reason() + "); issue another one");
}

void set_client_authentication(SSL_CTX* context, certificates const& authorities) {
    for (auto const& authority : authorities) {
        require(X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) == 1);
        require(SSL_CTX_add_client_CA(context, authority.get()) == 1);
    }
    // An intermediate CA is enough to trust, as in Go: the root may have issued others.
    require(X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN) ==
            1);
    // The chain may hold four intermediates; OpenSSL's own limit of 100 costs a signature each.
    SSL_CTX_set_verify_depth(context, 4);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, verify_client);
}

std::string to_string(ASN1_TIME const* time) {
    std::tm fields{};
    std::array<char, 32> text{};
    if (ASN1_TIME_to_tm(time, &fields) != 1) return "an unreadable time";
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields);
    return text.data();
}

/// "" if the certificate is valid now.
std::string wrong_dates(X509 const* certificate) {
    const auto* const from = X509_get0_notBefore(certificate);
    const auto* const until = X509_get0_notAfter(certificate);
    if (X509_cmp_current_time(until) < 0) return "expired at " + to_string(until);
    if (X509_cmp_current_time(from) > 0) return "is not valid before " + to_string(from);
    return "";
}

std::vector<std::string> find_warnings(pem_file const& file, certificates const& chain,
                                       pem_file const& ca_file, certificates const& authorities) {
    std::vector<std::string> result;
    const auto check_dates = [&result](pem_file const& of, certificates const& in,
                                       std::string_view consequence) {
        for (std::size_t i = 0; i < in.size(); ++i)
            if (const auto wrong = wrong_dates(in[i].get()); !wrong.empty())
                result.push_back(of.line("certificate " + std::to_string(i + 1) + " of " +
                                         std::to_string(in.size()) + ' ' + wrong +
                                         std::string(consequence)));
    };
    check_dates(file, chain, "; clients will refuse the server until it is renewed");
    check_dates(ca_file, authorities, "; the server refuses the clients that it issued");

    auto* const own = chain.front().get();
    const names_ptr names(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(own, NID_subject_alt_name, nullptr, nullptr)));
    if (!names)
        result.push_back(file.line(
            "has no subject alternative name; Go clients such as kube-scheduler will refuse the "
            "server until the certificate names its DNS name or address there"));
    if (X509_check_purpose(own, X509_PURPOSE_SSL_SERVER, 0) != 1)
        result.push_back(file.line(
            "is not for server authentication; clients will refuse the server until a certificate "
            "with that extended key usage is given"));
    return result;
}

}  // namespace

tls_setup make_tls_context(tls_files const& files) {
    const clean_error_queue scope;
    const auto certificate_file = read_file("--tls-cert", files.certificate);
    const auto key_file = read_file("--tls-key", files.key);
    const auto ca_file = read_file("--client-ca", files.client_ca);
    const auto chain = read_certificates(certificate_file);
    const auto authorities = read_certificates(ca_file);

    tls_setup result{boost::asio::ssl::context(boost::asio::ssl::context::tls_server), {}};
    SSL_CTX* const context = result.context.native_handle();
    set_protocol(context);
    set_identity(context, certificate_file, chain, key_file);
    set_client_authentication(context, authorities);
    result.warnings = find_warnings(certificate_file, chain, ca_file, authorities);
    return result;
}

}  // namespace nodesieve::server
