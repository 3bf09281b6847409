#include "wire_client.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

namespace nodesieve::test {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr timeval patience{.tv_sec = 20, .tv_usec = 0};

struct bio_deleter {
    void operator()(BIO* bio) const { BIO_free(bio); }
};

std::unique_ptr<BIO, bio_deleter> reader_of(std::string const& pem) {
    return std::unique_ptr<BIO, bio_deleter>(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

void use(SSL_CTX* context, identity const& client) {
    X509* const certificate =
        PEM_read_bio_X509(reader_of(client.certificate).get(), nullptr, nullptr, nullptr);
    EVP_PKEY* const key =
        PEM_read_bio_PrivateKey(reader_of(client.key).get(), nullptr, nullptr, nullptr);
    SSL_CTX_use_certificate(context, certificate);
    SSL_CTX_use_PrivateKey(context, key);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

void trust(SSL_CTX* context, identity const& ca) {
    X509* const certificate =
        PEM_read_bio_X509(reader_of(ca.certificate).get(), nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate);
    X509_free(certificate);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
}

}  // namespace

std::string request_text(std::string_view method, std::string_view target, std::string_view body,
                         std::string_view fields) {
    std::string text(method);
    text.append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n").append(fields);
    if (!body.empty() || method == "POST")
        text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
    return text.append("\r\n").append(body);
}

std::string chunked(std::string_view body, std::size_t size) {
    std::ostringstream out;
    for (; !body.empty(); body.remove_prefix(std::min(size, body.size()))) {
        const auto chunk = body.substr(0, size);
        out << std::hex << chunk.size() << "\r\n" << chunk << "\r\n";
    }
    out << "0\r\n\r\n";
    return out.str();
}

wire_client::wire_client(asio::ip::tcp::endpoint const& server) { connect(server); }

wire_client::wire_client(asio::ip::tcp::endpoint const& server, identity const& ca,
                         std::optional<identity> const& client, int tls_version)
    : context_(SSL_CTX_new(TLS_client_method())) {
    connect(server);
    SSL_CTX_set_max_proto_version(context_.get(), tls_version);
    trust(context_.get(), ca);
    if (client) use(context_.get(), *client);
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), static_cast<int>(socket_.native_handle()));
    if (SSL_connect(ssl_.get()) != 1) {
        ERR_clear_error();
        throw std::runtime_error("TLS handshake failed");
    }
    // From here on what is sent is gathered in memory: small records do not cost a system call
    // each.
    SSL_set0_wbio(ssl_.get(), BIO_new(BIO_s_mem()));
}

wire_client::~wire_client() = default;

void wire_client::connect(asio::ip::tcp::endpoint const& server) {
    socket_.connect(server);
    setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

void wire_client::send_plain(std::string_view bytes) {
    boost::system::error_code ec;
    asio::write(socket_, asio::buffer(bytes.data(), bytes.size()), ec);
    if (ec) throw std::runtime_error("send: " + ec.message());
}

void wire_client::flush() {
    char* data = nullptr;
    const auto size = BIO_get_mem_data(SSL_get_wbio(ssl_.get()), &data);
    if (size > 0) send_plain({data, static_cast<std::size_t>(size)});
    BIO_reset(SSL_get_wbio(ssl_.get()));
}

void wire_client::send(std::string_view bytes, std::size_t record_bytes) {
    if (!ssl_) return send_plain(bytes);
    constexpr std::size_t flush_bytes = 1 << 20;
    std::size_t gathered = 0;
    while (!bytes.empty()) {
        const auto record = bytes.substr(0, record_bytes);
        if (SSL_write(ssl_.get(), record.data(), static_cast<int>(record.size())) <= 0)
            throw std::runtime_error("TLS write failed");
        bytes.remove_prefix(record.size());
        gathered += record.size() + 32;
        if (gathered < flush_bytes) continue;
        flush();
        gathered = 0;
    }
    flush();
}

std::string wire_client::receive_some() {
    std::array<char, 16384> bytes;
    if (!ssl_) {
        boost::system::error_code ec;
        const auto size = socket_.read_some(asio::buffer(bytes), ec);
        if (ec == asio::error::try_again) throw std::runtime_error("nothing received in 20 s");
        return {bytes.data(), size};
    }
    errno = 0;
    const int size = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    if (size > 0) return {bytes.data(), static_cast<std::size_t>(size)};
    if (errno == EAGAIN) throw std::runtime_error("nothing received in 20 s");
    ERR_clear_error();
    return {};
}

response wire_client::receive(bool head) {
    http::response_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    parser.skip(head);
    parser.eager(true);
    while (!parser.is_done()) {
        boost::system::error_code ec;
        if (buffer_.size() > 0) {
            buffer_.consume(parser.put(buffer_.data(), ec));
            if (parser.is_done()) break;
            if (ec && ec != http::error::need_more)
                throw std::runtime_error("no HTTP answer: " + ec.message());
        }
        const auto more = receive_some();
        if (more.empty()) throw std::runtime_error("the connection ended before the answer");
        asio::buffer_copy(buffer_.prepare(more.size()), asio::buffer(more));
        buffer_.commit(more.size());
    }
    return parser.release();
}

bool wire_client::is_closed() { return buffer_.size() == 0 && receive_some().empty(); }

void wire_client::reset() {
    socket_.set_option(asio::socket_base::linger(true, 0));
    socket_.close();
}

}  // namespace nodesieve::test
