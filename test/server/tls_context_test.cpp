#include "tls_context.hpp"

#include "temporary_directory.hpp"
#include "test_certificates.hpp"

#include <boost/test/unit_test.hpp>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nodesieve::server {
namespace {

using test::authority_spec;
using test::certificate_spec;
using test::client_spec;
using test::identity;
using test::issue;
using test::self_signed;
using namespace std::chrono_literals;

template <auto Free>
struct releases {
    template <class Type>
    void operator()(Type* object) const noexcept {
        Free(object);
    }
};

using bio_ptr = std::unique_ptr<BIO, releases<BIO_free>>;
using context_ptr = std::unique_ptr<SSL_CTX, releases<SSL_CTX_free>>;
using session_ptr = std::unique_ptr<SSL, releases<SSL_free>>;
using ticket_ptr = std::unique_ptr<SSL_SESSION, releases<SSL_SESSION_free>>;

/// The three files, for tests that spoil them one by one.
struct pki {
    test::test_certificates certificates;

    [[nodiscard]] tls_files files() const {
        return {certificates.server_certificate_file, certificates.server_key_file,
                certificates.ca_file};
    }
    [[nodiscard]] tls_setup setup() const { return make_tls_context(files()); }
    [[nodiscard]] std::filesystem::path write(std::string const& name,
                                              std::string const& text) const {
        return certificates.directory.write(name, text);
    }
};

/// A client's side, which checks nothing: these tests are about the server.
class test_client {
  public:
    test_client() : context_(SSL_CTX_new(TLS_client_method())) {}

    void show(identity const& own, std::vector<std::string> const& intermediates = {}) const {
        const bio_ptr key(BIO_new_mem_buf(own.key.data(), -1));
        const std::unique_ptr<EVP_PKEY, releases<EVP_PKEY_free>> parsed(
            PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr));
        BOOST_REQUIRE(SSL_CTX_use_certificate(context_.get(), parse(own.certificate).get()) == 1);
        BOOST_REQUIRE(SSL_CTX_use_PrivateKey(context_.get(), parsed.get()) == 1);
        for (auto const& intermediate : intermediates)
            BOOST_REQUIRE(SSL_CTX_add1_chain_cert(context_.get(), parse(intermediate).get()) == 1);
    }
    void speak(int oldest, int newest) const {
        SSL_CTX_set_min_proto_version(context_.get(), oldest);
        SSL_CTX_set_max_proto_version(context_.get(), newest);
        // TLS 1.1 needs SHA-1, which security level 2 forbids.
        if (newest < TLS1_2_VERSION) SSL_CTX_set_cipher_list(context_.get(), "ALL:@SECLEVEL=0");
    }
    [[nodiscard]] SSL_CTX* context() const { return context_.get(); }

  private:
    static std::unique_ptr<X509, releases<X509_free>> parse(std::string const& pem) {
        const bio_ptr in(BIO_new_mem_buf(pem.data(), -1));
        return std::unique_ptr<X509, releases<X509_free>>(
            PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
    }

    context_ptr context_;
};

/// A client and a server that are joined in memory.
class connection {
  public:
    connection(test_client const& client, boost::asio::ssl::context& server,
               SSL_SESSION* ticket = nullptr)
        : client_(SSL_new(client.context())), server_(SSL_new(server.native_handle())) {
        BIO* client_end = nullptr;
        BIO* server_end = nullptr;
        BOOST_REQUIRE(BIO_new_bio_pair(&client_end, 0, &server_end, 0) == 1);
        SSL_set_bio(client_.get(), client_end, client_end);
        SSL_set_bio(server_.get(), server_end, server_end);
        SSL_set_connect_state(client_.get());
        SSL_set_accept_state(server_.get());
        if (ticket != nullptr) SSL_set_session(client_.get(), ticket);
    }

    /// OpenSSL does not resume a session that did not end in order.
    ~connection() { SSL_set_shutdown(client_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN); }
    connection(connection const&) = delete;
    connection& operator=(connection const&) = delete;

    /// Whether the server lets the client in, which it knows last in TLS 1.3.
    bool handshake() {
        ERR_clear_error();
        for (int step = 0; step < 20 && SSL_in_init(server_.get()) != 0; ++step) {
            SSL_do_handshake(client_.get());
            ERR_clear_error();
            if (const int result = SSL_do_handshake(server_.get());
                result != 1 && SSL_get_error(server_.get(), result) == SSL_ERROR_SSL) {
                error_ = ERR_GET_REASON(ERR_peek_last_error());
                ERR_clear_error();
                return false;
            }
        }
        char byte = 0;  // the client takes the tickets of TLS 1.3
        SSL_read(client_.get(), &byte, 1);
        ERR_clear_error();
        return SSL_in_init(server_.get()) == 0 && SSL_in_init(client_.get()) == 0;
    }

    /// Why the server did not, SSL_R_...
    [[nodiscard]] int error() const { return error_; }

    [[nodiscard]] bool resumed() const { return SSL_session_reused(server_.get()) == 1; }

    [[nodiscard]] bool knows_client() const {
        return SSL_get0_peer_certificate(server_.get()) != nullptr &&
               SSL_get_verify_result(server_.get()) == X509_V_OK;
    }
    [[nodiscard]] std::string version() const { return SSL_get_version(server_.get()); }
    [[nodiscard]] std::string cipher() const { return SSL_get_cipher_name(server_.get()); }
    [[nodiscard]] std::string protocol() const {
        unsigned char const* name = nullptr;
        unsigned length = 0;
        SSL_get0_alpn_selected(client_.get(), &name, &length);
        return {name, name + length};
    }
    [[nodiscard]] ticket_ptr ticket() const { return ticket_ptr(SSL_get1_session(client_.get())); }
    [[nodiscard]] SSL* client() const { return client_.get(); }
    [[nodiscard]] SSL* server() const { return server_.get(); }

  private:
    session_ptr client_;
    session_ptr server_;
    int error_ = 0;
};

constexpr std::pair<char const*, int> versions[] = {{"TLSv1.2", TLS1_2_VERSION},
                                                    {"TLSv1.3", TLS1_3_VERSION}};

/// What is said about the files, or "" if they are accepted.
std::string error_of(tls_files const& files) {
    ERR_raise(ERR_LIB_USER, 1);  // another one's, left behind
    std::string text;
    try {
        static_cast<void>(make_tls_context(files));
    } catch (tls_error const& error) {
        text = error.what();
    }
    BOOST_TEST(ERR_peek_error() == 0U);
    BOOST_TEST(text.find('\n') == std::string::npos);
    return text;
}

BOOST_AUTO_TEST_SUITE(tls_context_test)

BOOST_AUTO_TEST_CASE(lets_in_only_clients_of_the_ca) {
    const pki pki;
    auto const& ca = pki.certificates.ca;
    const auto intermediate = issue(authority_spec("intermediate"), ca);
    const auto client_with = [](auto change) {
        auto spec = client_spec();
        change(spec);
        return spec;
    };
    const auto valid = client_spec();
    const auto expired = client_with([](auto& s) { s.not_after = -1min; });
    const auto not_yet = client_with([](auto& s) { s.not_before = 1h; });
    const auto for_servers = client_with([](auto& s) { s.extended_key_usage = "serverAuth"; });
    const auto for_anything = client_with([](auto& s) { s.extended_key_usage = ""; });
    const auto other_ca = self_signed(authority_spec("other CA"));
    const auto same_name = self_signed(authority_spec());

    // Signed by five CAs in a row below the trusted one.
    std::vector<std::string> long_chain;
    auto last = ca;
    for (int i = 0; i < 5; ++i) {
        last = issue(authority_spec("level " + std::to_string(i)), last);
        long_chain.insert(long_chain.begin(), last.certificate);
    }

    struct {
        char const* name;
        std::optional<identity> shown;
        std::vector<std::string> intermediates;
        int refused_for;  // 0 if it is let in
    } const cases[] = {
        {"good", pki.certificates.client, {}, 0},
        {"any usage", issue(for_anything, ca), {}, 0},
        {"by an intermediate", issue(valid, intermediate), {intermediate.certificate}, 0},
        {"none", std::nullopt, {}, SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE},
        {"expired", issue(expired, ca), {}, SSL_R_CERTIFICATE_VERIFY_FAILED},
        {"not yet valid", issue(not_yet, ca), {}, SSL_R_CERTIFICATE_VERIFY_FAILED},
        {"server's usage", issue(for_servers, ca), {}, SSL_R_CERTIFICATE_VERIFY_FAILED},
        {"other CA", issue(valid, other_ca), {}, SSL_R_CERTIFICATE_VERIFY_FAILED},
        {"other CA, and shows it",
         issue(valid, other_ca),
         {other_ca.certificate},
         SSL_R_CERTIFICATE_VERIFY_FAILED},
        {"same name, other key", issue(valid, same_name), {}, SSL_R_CERTIFICATE_VERIFY_FAILED},
        {"self-signed", self_signed(valid), {}, SSL_R_CERTIFICATE_VERIFY_FAILED},
        {"intermediate not shown", issue(valid, intermediate), {}, SSL_R_CERTIFICATE_VERIFY_FAILED},
        {"issued by a client",
         issue(valid, pki.certificates.client),
         {pki.certificates.client.certificate},
         SSL_R_CERTIFICATE_VERIFY_FAILED},
        {"the CA", ca, {}, SSL_R_CERTIFICATE_VERIFY_FAILED},
        {"an intermediate CA", intermediate, {}, SSL_R_CERTIFICATE_VERIFY_FAILED},
        {"long chain", issue(valid, last), long_chain, SSL_R_CERTIFICATE_VERIFY_FAILED},
    };
    auto server = pki.setup();
    for (auto const& [version_name, version] : versions)
        for (auto const& c : cases) BOOST_TEST_CONTEXT(version_name << ", " << c.name) {
                const test_client client;
                client.speak(version, version);
                if (c.shown) client.show(*c.shown, c.intermediates);
                connection joined(client, server.context);
                BOOST_TEST(joined.handshake() == (c.refused_for == 0));
                BOOST_TEST(joined.error() == c.refused_for);
                BOOST_TEST(joined.knows_client() == (c.refused_for == 0));
                BOOST_TEST(joined.version() == version_name);
            }
}

BOOST_AUTO_TEST_CASE(refuses_tls_1_1) {
    const pki pki;
    auto server = pki.setup();
    const test_client client;
    client.speak(TLS1_1_VERSION, TLS1_1_VERSION);
    client.show(pki.certificates.client);
    connection joined(client, server.context);
    BOOST_TEST(!joined.handshake());
    BOOST_TEST(joined.error() == SSL_R_UNSUPPORTED_PROTOCOL);
}

BOOST_AUTO_TEST_CASE(speaks_forward_secret_aead_ciphers_only) {
    const pki pki;
    auto server = pki.setup();
    const std::pair<char const*, bool> cases[] = {
        {"ECDHE-ECDSA-AES128-GCM-SHA256", true}, {"ECDHE-ECDSA-AES256-GCM-SHA384", true},
        {"ECDHE-ECDSA-CHACHA20-POLY1305", true}, {"ECDHE-ECDSA-AES128-SHA256", false},
        {"ECDHE-ECDSA-AES256-SHA", false},       {"ECDHE-ECDSA-AES128-CCM", false}};
    for (auto const& [cipher, accepted] : cases) BOOST_TEST_CONTEXT(cipher) {
            const test_client client;
            client.speak(TLS1_2_VERSION, TLS1_2_VERSION);
            client.show(pki.certificates.client);
            BOOST_REQUIRE(SSL_CTX_set_cipher_list(client.context(), cipher) == 1);
            connection joined(client, server.context);
            BOOST_TEST(joined.handshake() == accepted);
            BOOST_TEST(joined.error() == (accepted ? 0 : SSL_R_NO_SHARED_CIPHER));
            if (accepted) BOOST_TEST(joined.cipher() == cipher);
        }
}

BOOST_AUTO_TEST_CASE(refuses_renegotiation) {
    const pki pki;
    auto server = pki.setup();
    const test_client client;
    client.speak(TLS1_2_VERSION, TLS1_2_VERSION);
    client.show(pki.certificates.client);
    connection joined(client, server.context);
    BOOST_REQUIRE(joined.handshake());
    BOOST_REQUIRE(SSL_renegotiate(joined.client()) == 1);
    SSL_do_handshake(joined.client());
    char byte = 0;
    SSL_read(joined.server(), &byte, 1);  // answers with a warning
    ERR_clear_error();
    BOOST_TEST(SSL_do_handshake(joined.client()) != 1);
    BOOST_TEST(ERR_GET_REASON(ERR_peek_error()) == SSL_R_NO_RENEGOTIATION);
    ERR_clear_error();
}

BOOST_AUTO_TEST_CASE(chooses_http_1_1_by_alpn) {
    const pki pki;
    auto server = pki.setup();
    const std::pair<std::string, std::string> cases[] = {
        {"", ""},
        {"\2h2\10http/1.1", "http/1.1"},
        {"\10http/1.1\2h2", "http/1.1"},
        {"\10http/1.1", "http/1.1"},
        {"\2h2", ""},
        {"\10http/1.0\6spdy/3", ""},
    };
    for (auto const& [version_name, version] : versions)
        for (auto const& [offered, chosen] : cases)
            BOOST_TEST_CONTEXT(version_name << ", " << offered) {
                const test_client client;
                client.speak(version, version);
                client.show(pki.certificates.client);
                SSL_CTX_set_alpn_protos(client.context(),
                                        reinterpret_cast<unsigned char const*>(offered.data()),
                                        static_cast<unsigned>(offered.size()));
                connection joined(client, server.context);
                BOOST_TEST(joined.handshake());
                BOOST_TEST(joined.protocol() == chosen);
            }
}

// https://github.com/openssl/openssl/issues/10168
BOOST_AUTO_TEST_CASE(resumes_sessions_with_client_certificates) {
    const pki pki;
    auto server = pki.setup();
    for (auto const& [version_name, version] : versions) BOOST_TEST_CONTEXT(version_name) {
            const test_client client;
            client.speak(version, version);
            client.show(pki.certificates.client);
            connection first(client, server.context);
            BOOST_REQUIRE(first.handshake());
            BOOST_TEST(!first.resumed());

            auto ticket = first.ticket();
            for (int again = 0; again < 3; ++again) {
                connection next(client, server.context, ticket.get());
                BOOST_REQUIRE(next.handshake());
                BOOST_TEST(next.resumed());
                BOOST_TEST(next.knows_client());
                ticket = next.ticket();
            }
        }
}

BOOST_AUTO_TEST_CASE(stores_no_sessions) {
    const pki pki;
    auto server = pki.setup();
    for (auto const& [version_name, version] : versions)
        for (const std::uint64_t option : {std::uint64_t{0}, std::uint64_t{SSL_OP_NO_TICKET}})
            BOOST_TEST_CONTEXT(version_name << (option == 0 ? "" : ", no tickets")) {
                const test_client client;
                client.speak(version, version);
                client.show(pki.certificates.client);
                SSL_CTX_set_options(client.context(), option);
                connection joined(client, server.context);
                BOOST_REQUIRE(joined.handshake());
                BOOST_TEST(SSL_CTX_sess_number(server.context.native_handle()) == 0);
            }
}

BOOST_AUTO_TEST_CASE(does_not_resume_sessions_of_another_context) {
    const pki pki;
    auto before = pki.setup();
    auto after = pki.setup();
    for (auto const& [version_name, version] : versions) BOOST_TEST_CONTEXT(version_name) {
            const test_client client;
            client.speak(version, version);
            client.show(pki.certificates.client);
            connection first(client, before.context);
            BOOST_REQUIRE(first.handshake());
            connection second(client, after.context, first.ticket().get());
            BOOST_TEST(second.handshake());
            BOOST_TEST(!second.resumed());
        }
}

BOOST_AUTO_TEST_CASE(names_its_cas_to_the_client) {
    const pki pki;
    auto files = pki.files();
    files.client_ca = pki.write("two.crt", pki.certificates.ca.certificate +
                                               self_signed(authority_spec("second")).certificate);
    auto server = make_tls_context(files);
    const test_client client;
    client.show(pki.certificates.client);
    connection joined(client, server.context);
    BOOST_REQUIRE(joined.handshake());
    BOOST_TEST(sk_X509_NAME_num(SSL_get0_peer_CA_list(joined.client())) == 2);
}

BOOST_AUTO_TEST_CASE(trusts_an_intermediate_ca_without_its_root) {
    const pki pki;
    const auto intermediate = issue(authority_spec("intermediate"), pki.certificates.ca);
    auto files = pki.files();
    files.client_ca = pki.write("intermediate.crt", intermediate.certificate);
    auto server = make_tls_context(files);
    const std::pair<identity, bool> cases[] = {{issue(client_spec(), intermediate), true},
                                               {pki.certificates.client, false}};
    for (auto const& [shown, accepted] : cases)
        BOOST_TEST_CONTEXT((accepted ? "issued by it" : "issued by its root")) {
            const test_client client;
            client.show(shown);
            connection joined(client, server.context);
            BOOST_TEST(joined.handshake() == accepted);
        }
}

BOOST_AUTO_TEST_CASE(sends_the_chain_of_the_file_and_no_more) {
    const pki pki;
    auto const& ca = pki.certificates.ca;
    const auto intermediate = issue(authority_spec("intermediate"), ca);
    const auto leaf = issue({}, intermediate);
    struct {
        std::string text;
        int sent;
    } const cases[] = {{leaf.certificate, 1}, {leaf.certificate + intermediate.certificate, 2}};
    for (auto const& c : cases) BOOST_TEST_CONTEXT(c.sent) {
            auto files = pki.files();
            files.certificate = pki.write("chain.crt", c.text);
            files.key = pki.write("chain.key", leaf.key);
            files.client_ca = pki.write("all.crt", intermediate.certificate + ca.certificate);
            auto server = make_tls_context(files);
            const test_client client;
            client.show(pki.certificates.client);
            connection joined(client, server.context);
            BOOST_REQUIRE(joined.handshake());
            BOOST_TEST(sk_X509_num(SSL_get_peer_cert_chain(joined.client())) == c.sent);
        }
}

BOOST_AUTO_TEST_CASE(says_which_file_cannot_be_read) {
    const pki pki;
    const std::pair<char const*, std::filesystem::path tls_files::*> files[] = {
        {"--tls-cert", &tls_files::certificate},
        {"--tls-key", &tls_files::key},
        {"--client-ca", &tls_files::client_ca}};
    std::string binary("\x30\x82\x01\x00\x00\n", 6);
    struct {
        std::filesystem::path path;
        std::string_view expected;
    } const cases[] = {
        {pki.certificates.directory.path() / "missing", "cannot be opened: No such file"},
        {pki.certificates.directory.path(), "cannot be read: Is a directory"},
        {pki.write("empty", ""), "is empty"},
        {pki.write("der", binary), "is not PEM"},
        {pki.write("big", std::string(1024 * 1024 + 1, '-')), "is larger than 1 MiB"},
        {pki.write("other", "-----BEGIN OTHER-----\nAAAA\n-----END OTHER-----\n"), "holds no "},
        {pki.write("odd \"\n", ""), "is empty"},
    };
    for (auto const& [flag, member] : files)
        for (auto const& c : cases) BOOST_TEST_CONTEXT(flag << ' ' << c.path) {
                auto spoilt = pki.files();
                spoilt.*member = c.path;
                const auto error = error_of(spoilt);
                const auto in_quotes_at = error.find("=\"");
                BOOST_TEST(in_quotes_at == std::string_view(flag).size());
                BOOST_TEST(error.starts_with(flag));
                BOOST_TEST(error.find(std::string("\": ").append(c.expected)) != std::string::npos);
                BOOST_TEST(error.ends_with(std::string("with ") + flag));
            }
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_certificate_and_key) {
    const pki pki;
    auto const& server = pki.certificates.server;
    auto const& ca = pki.certificates.ca;
    auto damaged = server.certificate;
    damaged[damaged.size() / 2] = damaged[damaged.size() / 2] == 'A' ? 'B' : 'A';
    damaged.replace(40, 4, "!!!!");

    struct {
        char const* name;
        std::string certificate, key, ca;
        std::string expected;  // between the file and its advice
    } const cases[] = {
        {"no certificate", server.key, server.key, ca.certificate,
         "holds no certificate, but other PEM"},
        {"damaged certificate", damaged, server.key, ca.certificate, "certificate 1 is damaged"},
        {"damaged intermediate", server.certificate + damaged, server.key, ca.certificate,
         "certificate 2 is damaged"},
        {"damaged CA", server.certificate, server.key, ca.certificate + damaged,
         "certificate 2 is damaged"},
        {"cut off", server.certificate.substr(0, 200), server.key, ca.certificate,
         "certificate 1 is damaged"},
        {"no CA", server.certificate, server.key, ca.key, "holds no certificate, but other PEM"},
        {"no key", server.certificate, server.certificate, ca.certificate,
         "holds no private key that can be read"},
        {"cut key", server.certificate, server.key.substr(0, 100), ca.certificate,
         "holds no private key that can be read"},
        {"encrypted key", server.certificate, test::encrypted_key(server), ca.certificate,
         "is encrypted"},
        {"another key", server.certificate, pki.certificates.client.key, ca.certificate,
         "is not the key of the first certificate in --tls-cert="},
        {"chain in the wrong order", ca.certificate + server.certificate, server.key,
         ca.certificate, "is not the key of the first certificate in --tls-cert="},
    };
    for (auto const& c : cases) BOOST_TEST_CONTEXT(c.name) {
            const auto error = error_of({pki.write("x.crt", c.certificate),
                                         pki.write("x.key", c.key), pki.write("x-ca.crt", c.ca)});
            BOOST_TEST(error.find("\": " + c.expected) != std::string::npos, error);
            BOOST_TEST(error.find("; ") != std::string::npos);
        }
    BOOST_TEST(error_of(pki.files()) == "");
}

BOOST_AUTO_TEST_CASE(takes_certificate_and_key_from_one_file) {
    const pki pki;
    auto const& server = pki.certificates.server;
    const auto both = pki.write("both.pem", "a comment\n" + server.key + server.certificate);
    BOOST_TEST(error_of({both, both, pki.certificates.ca_file}) == "");
}

BOOST_AUTO_TEST_CASE(warns_of_what_clients_will_refuse) {
    const pki pki;
    auto const& ca = pki.certificates.ca;
    const auto server_with = [&ca](auto change) {
        certificate_spec spec;
        change(spec);
        return issue(spec, ca);
    };
    auto expired_ca_spec = authority_spec("old");
    expired_ca_spec.not_after = -1min;
    const auto expired_ca = self_signed(expired_ca_spec);
    struct {
        char const* name;
        identity server;
        std::string more_chain, more_ca;
        std::vector<std::string> expected;
    } const cases[] = {
        {"nothing", pki.certificates.server, "", "", {}},
        {"expired",
         server_with([](auto& s) { s.not_after = -1min; }),
         "",
         "",
         {"certificate 1 of 1 expired at 20"}},
        {"not yet valid",
         server_with([](auto& s) { s.not_before = 1h; }),
         "",
         "",
         {"certificate 1 of 1 is not valid before 20"}},
        {"expired in the chain",
         pki.certificates.server,
         expired_ca.certificate,
         "",
         {"certificate 2 of 2 expired at 20"}},
        {"no name",
         server_with([](auto& s) { s.alternative_names = ""; }),
         "",
         "",
         {"has no subject alternative name"}},
        {"client's usage",
         server_with([](auto& s) { s.extended_key_usage = "clientAuth"; }),
         "",
         "",
         {"is not for server authentication"}},
        {"any usage", server_with([](auto& s) { s.extended_key_usage = ""; }), "", "", {}},
        {"two at once",
         server_with([](auto& s) {
             s.alternative_names = "";
             s.not_after = -1min;
         }),
         "",
         "",
         {"certificate 1 of 1 expired at 20", "has no subject alternative name"}},
        {"expired CA",
         pki.certificates.server,
         "",
         expired_ca.certificate,
         {"certificate 2 of 2 expired at 20"}},
    };
    for (auto const& c : cases) BOOST_TEST_CONTEXT(c.name) {
            ERR_clear_error();
            const auto setup =
                make_tls_context({pki.write("x.crt", c.server.certificate + c.more_chain),
                                  pki.write("x.key", c.server.key),
                                  pki.write("x-ca.crt", ca.certificate + c.more_ca)});
            BOOST_TEST(ERR_peek_error() == 0U);
            BOOST_REQUIRE(setup.warnings.size() == c.expected.size());
            for (std::size_t i = 0; i < c.expected.size(); ++i) {
                BOOST_TEST_INFO(setup.warnings[i]);
                BOOST_TEST(setup.warnings[i].find("\": " + c.expected[i]) != std::string::npos);
                BOOST_TEST(setup.warnings[i].find('\n') == std::string::npos);
            }
        }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace nodesieve::server
