#pragma once

#include <boost/asio/ssl/context.hpp>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace nodesieve::server {

/// The PEM files that a TLS server needs, with the flags that name them.
struct tls_files {
    std::filesystem::path certificate;  ///< --tls-cert: the server's own first, then intermediates
    std::filesystem::path key;          ///< --tls-key: of the server's certificate, not encrypted
    std::filesystem::path client_ca;    ///< --client-ca: whose certificates clients may show
};

/// A file that cannot be used. what() is one line: the flag, the file, what is wrong with it and
/// what to change. It holds nothing of the file's contents.
class tls_error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct tls_setup {
    boost::asio::ssl::context context;
    /// One line each, like those of tls_error: what works here but makes clients refuse the server,
    /// or the server refuse clients (dates; no subject alternative name, which Go wants).
    std::vector<std::string> warnings;
};

/// Reads the files and makes a context for a server of kube-scheduler. Throws tls_error. The queue
/// of OpenSSL errors of the calling thread is empty afterwards.
///
/// The context: TLS 1.2 or newer, no renegotiation, no compression; forward-secret AEAD ciphers;
/// the client must show a certificate for client authentication that leads to one of `client_ca`,
/// which need not be a root (as in Go) and is told to the client; the certificate of a CA itself is
/// no client. ALPN chooses http/1.1, or nothing if the client does not offer it. Sessions resume by
/// ticket, and the server stores none.
///
/// A session must not replace the context's verify callback. The context may be shared by threads
/// that only make sessions of it.
[[nodiscard]] tls_setup make_tls_context(tls_files const& files);

}  // namespace nodesieve::server
