#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "load_generator.hpp"
#include "stub_server_test.hpp"
#include "tls_client.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nodesieve::bench;
using tcp = boost::asio::ip::tcp;
namespace ssl = boost::asio::ssl;

template <class T, void (*Free)(T*)>
struct freed_by {
    void operator()(T* object) const noexcept { Free(object); }
};
using private_key = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY, EVP_PKEY_free>>;
using certificate = std::unique_ptr<X509, freed_by<X509, X509_free>>;

// A self-signed certificate and its key, as files that go with it.
class identity {
  public:
    explicit identity(char const* alternative_names) {
        private_key const key(EVP_EC_gen("P-256"));
        certificate const made(X509_new());
        X509* const x509 = made.get();
        X509_set_version(x509, X509_VERSION_3);
        ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
        X509_gmtime_adj(X509_getm_notBefore(x509), -60);
        X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
        X509_set_pubkey(x509, key.get());
        X509_NAME* const name = X509_get_subject_name(x509);
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                   reinterpret_cast<unsigned char const*>("test"), -1, -1, 0);
        X509_set_issuer_name(x509, name);
        X509_EXTENSION* const names =
            X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, alternative_names);
        X509_add_ext(x509, names, -1);
        X509_EXTENSION_free(names);
        X509_sign(x509, key.get(), EVP_sha256());

        std::string folder = (std::filesystem::temp_directory_path() / "bench-XXXXXX").string();
        if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp");
        folder_ = folder;
        write(cert(), [&](FILE* file) { PEM_write_X509(file, x509); });
        write(key_file(), [&](FILE* file) {
            PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        });
    }
    ~identity() { std::filesystem::remove_all(folder_); }
    identity(identity const&) = delete;
    identity& operator=(identity const&) = delete;

    [[nodiscard]] std::filesystem::path cert() const { return folder_ / "cert.pem"; }
    [[nodiscard]] std::filesystem::path key_file() const { return folder_ / "key.pem"; }

  private:
    template <class Write>
    static void write(std::filesystem::path const& path, Write written) {
        FILE* const file = std::fopen(path.c_str(), "w");
        written(file);
        std::fclose(file);
    }

    std::filesystem::path folder_;
};

identity const& of_localhost() {
    static identity const made("DNS:localhost,IP:127.0.0.1");
    return made;
}

// Answers `reply` to each request, over TLS that asks for the client's certificate.
stub_server::script tls_answering(std::string reply, identity const& server = of_localhost()) {
    return [reply = std::move(reply), &server](tcp::socket& socket) {
        ssl::context context(ssl::context::tls_server);
        context.use_certificate_chain_file(server.cert().string());
        context.use_private_key_file(server.key_file().string(), ssl::context::pem);
        context.load_verify_file(of_localhost().cert().string());
        context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
        ssl::stream<tcp::socket&> stream(socket, context);
        boost::system::error_code ec;
        stream.handshake(ssl::stream_base::server, ec);
        if (ec) return;
        while (read_request(stream)) send(stream, reply);
        stream.shutdown(ec);
    };
}

tls_files mutual() {
    return {of_localhost().cert(), of_localhost().cert(), of_localhost().key_file()};
}

load_result load(std::string const& url, tls_files const& files, std::string_view body,
                 load_setting const& setting = {}) {
    ssl::context context = make_tls_client(files);
    known_answer any;
    load_generator generator(http_url::parse(url), context.native_handle(), body, any, setting);
    auto schedule = request_schedule::closed_loop(request_schedule::clock::now(),
                                                  {.duration = 1min, .count = 3});
    return generator.run(schedule);
}

std::string only_error(load_result const& result) {
    auto const& kinds = result.errors.by_kind();
    return kinds.size() == 1 ? kinds.begin()->first + ": " + kinds.begin()->second.first_detail
                             : std::to_string(kinds.size()) + " kinds";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tls_load)

BOOST_AUTO_TEST_CASE(exchanges_small_and_large_messages) {
    for (std::size_t const size : {2, 16'000, 17'000, 3'000'000}) {
        BOOST_TEST_CONTEXT(size << " bytes") {
            stub_server const server(tls_answering(answer(std::string(size, 'y'))));
            for (char const* host : {"localhost", "127.0.0.1"}) {
                load_result const result =
                    load(server.url("https", host), mutual(), std::string(size, 'x'));
                BOOST_TEST(result.latency.count() == 3U);
                BOOST_TEST(result.errors.count() == 0U);
                BOOST_TEST(result.largest_reply == size);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(makes_a_handshake_for_each_request_without_keep_alive) {
    stub_server const server(tls_answering(answer("yes")));
    load_result const result = load(server.url("https"), mutual(), "{}", {.keep_alive = false});
    BOOST_TEST(result.latency.count() == 3U);
    BOOST_TEST(server.connections() == 3U);
}

BOOST_AUTO_TEST_CASE(keeps_an_idle_connection_that_the_server_has_not_ended) {
    stub_server const server(tls_answering(answer("yes")));
    ssl::context context = make_tls_client(mutual());
    known_answer any;
    load_generator generator(http_url::parse(server.url("https")), context.native_handle(), "{}",
                             any, {});
    for (int turn = 0; turn != 3; ++turn) BOOST_TEST(generator.warm_up(1).latency.count() == 1U);
    BOOST_TEST(server.connections() == 1U);
    BOOST_TEST(generator.protocol().starts_with("TLSv1.3 TLS_AES_128_GCM_SHA256"));
}

BOOST_AUTO_TEST_CASE(refuses_a_certificate_for_another_name) {
    identity const elsewhere("DNS:elsewhere,IP:127.0.0.2");
    stub_server const server(tls_answering(answer("yes"), elsewhere));
    tls_files files = mutual();
    files.ca = elsewhere.cert();
    std::string error = only_error(load(server.url("https", "127.0.0.1"), files, "{}"));
    BOOST_TEST(error.starts_with("tls: TLS handshake: "), error);
    BOOST_TEST((error.find("IP address mismatch") != std::string::npos), error);
    error = only_error(load(server.url("https", "localhost"), files, "{}"));
    BOOST_TEST((error.find("hostname mismatch") != std::string::npos), error);
}

// With TLS 1.3 the client learns of it only when it reads.
BOOST_AUTO_TEST_CASE(counts_a_refused_client_certificate_as_tls) {
    stub_server const server(tls_answering(answer("yes")));
    std::string const error =
        only_error(load(server.url("https"), {.ca = of_localhost().cert()}, "{}"));
    BOOST_TEST(error.starts_with("tls: reading the answer: "), error);
}

BOOST_AUTO_TEST_CASE(counts_a_server_without_tls_as_tls) {
    stub_server const server([](tcp::socket& socket) { send(socket, answer("plain")); });
    std::string const error = only_error(load(server.url("https"), mutual(), "{}"));
    BOOST_TEST(error.starts_with("tls: TLS handshake: "), error);
}

BOOST_AUTO_TEST_CASE(counts_a_handshake_that_stalls_as_timeout) {
    stub_server const server([](tcp::socket& socket) {
        std::string all;
        boost::system::error_code ec;
        read(socket, boost::asio::dynamic_buffer(all), ec);
    });
    std::string const error =
        only_error(load(server.url("https"), mutual(), "{}", {.timeout = 20ms}));
    BOOST_TEST(error.starts_with("timeout: TLS handshake: "), error);
}

BOOST_AUTO_TEST_CASE(errors_name_the_file_that_is_wrong) {
    tls_files files = mutual();
    files.key = "/nonexistent.key";
    BOOST_CHECK_EXCEPTION(make_tls_client(files), std::runtime_error, [](auto const& error) {
        return std::string_view(error.what()).find("key /nonexistent.key") !=
               std::string_view::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
