// The floor under an extender: reads each body, does nothing with it, and answers with a number of
// bytes. Blocking OpenSSL on the socket and one thread a connection, so that nothing is between the
// wire and the count. HTTP/1.1 with Content-Length and keep-alive only, on loopback only.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace po = boost::program_options;

constexpr std::size_t read_bytes = 256 * 1024;
constexpr std::size_t largest_head = 16 * 1024;

struct options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;
    std::uint64_t reply_bytes = 0;
    std::string cert, key;  // empty: plain
};

template <class T, void (*Free)(T*)>
struct freed_by {
    void operator()(T* object) const noexcept { Free(object); }
};
using ssl_context = std::unique_ptr<SSL_CTX, freed_by<SSL_CTX, SSL_CTX_free>>;
using ssl_session = std::unique_ptr<SSL, freed_by<SSL, SSL_free>>;

class file_descriptor {
  public:
    explicit file_descriptor(int number) : number_(number) {}
    file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    ~file_descriptor() {
        if (number_ >= 0) close(number_);
    }
    file_descriptor(file_descriptor const&) = delete;
    file_descriptor& operator=(file_descriptor const&) = delete;

    [[nodiscard]] int number() const noexcept { return number_; }

  private:
    int number_;
};

// A connection's bytes, over TLS or plain; false or 0 when there will be no more.
class byte_stream {
  public:
    byte_stream(file_descriptor socket, SSL_CTX* tls) : socket_(std::move(socket)) {
        if (tls == nullptr) return;
        ssl_.reset(SSL_new(tls));
        SSL_set_fd(ssl_.get(), socket_.number());
    }

    [[nodiscard]] bool accept() { return !ssl_ || SSL_accept(ssl_.get()) == 1; }

    [[nodiscard]] std::size_t read(char* into, std::size_t room) {
        if (ssl_) {
            std::size_t size = 0;
            return SSL_read_ex(ssl_.get(), into, room, &size) == 1 ? size : 0;
        }
        ssize_t const size = ::read(socket_.number(), into, room);
        return size > 0 ? static_cast<std::size_t>(size) : 0;
    }

    [[nodiscard]] bool write(std::string_view bytes) {
        while (!bytes.empty()) {
            std::size_t size = 0;
            if (ssl_) {
                if (SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &size) != 1) return false;
            } else {
                ssize_t const sent = ::write(socket_.number(), bytes.data(), bytes.size());
                if (sent <= 0) return false;
                size = static_cast<std::size_t>(sent);
            }
            bytes.remove_prefix(size);
        }
        return true;
    }

  private:
    file_descriptor socket_;
    ssl_session ssl_;
};

// The value of Content-Length in a request's head; nothing when there is none that can be read.
std::optional<std::uint64_t> content_length(std::string_view head) {
    constexpr std::string_view name = "\r\ncontent-length:";
    auto const same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
    auto const at = std::search(head.begin(), head.end(), name.begin(), name.end(), same);
    if (at == head.end()) return std::nullopt;
    std::string_view value = head.substr(static_cast<std::size_t>(at - head.begin()) + name.size());
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    std::uint64_t length = 0;
    auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
    return error == std::errc{} ? std::optional(length) : std::nullopt;
}

// Request after request, until the client has enough or is not understood.
void serve(byte_stream stream, std::string_view reply) {
    if (!stream.accept()) return;
    std::vector<char> buffer(read_bytes);
    std::size_t held = 0;
    for (;;) {
        auto head_end = std::string_view::npos;
        while (head_end == std::string_view::npos) {
            std::size_t const size = stream.read(buffer.data() + held, buffer.size() - held);
            if (size == 0 || held > largest_head) return;
            held += size;
            head_end = std::string_view(buffer.data(), held).find("\r\n\r\n");
        }
        auto const length = content_length({buffer.data(), head_end});
        if (!length) return;
        std::uint64_t read = held - head_end - 4;
        while (read < *length) {
            std::size_t const size = stream.read(buffer.data(), buffer.size());
            if (size == 0) return;
            read += size;
        }
        held = 0;
        if (!stream.write(reply)) return;
    }
}

ssl_context make_tls(options const& chosen) {
    ssl_context context(SSL_CTX_new(TLS_server_method()));
    if (!context) throw std::bad_alloc();
    if (SSL_CTX_use_certificate_chain_file(context.get(), chosen.cert.c_str()) != 1)
        throw std::runtime_error(chosen.cert + ": not a certificate that can be read");
    if (SSL_CTX_use_PrivateKey_file(context.get(), chosen.key.c_str(), SSL_FILETYPE_PEM) != 1)
        throw std::runtime_error(chosen.key + ": not the certificate's key");
    SSL_CTX_set_read_ahead(context.get(), 1);
    SSL_CTX_set_default_read_buffer_len(context.get(), read_bytes);
    return context;
}

file_descriptor listen_on(options const& chosen) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(chosen.port);
    inet_pton(AF_INET, chosen.address.c_str(), &address.sin_addr);
    file_descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int const on = 1;
    setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    socklen_t size = sizeof address;
    if (bind(listener.number(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(listener.number(), SOMAXCONN) != 0 ||
        getsockname(listener.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::runtime_error("--listen: " + std::string(std::strerror(errno)));
    std::cout << "listening on " << chosen.address << ':' << ntohs(address.sin_port) << std::endl;
    return listener;
}

[[noreturn]] void run(options const& chosen) {
    ssl_context const tls = chosen.cert.empty() ? nullptr : make_tls(chosen);
    std::string const reply =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
        std::to_string(chosen.reply_bytes) + "\r\n\r\n" + std::string(chosen.reply_bytes, 'x');
    file_descriptor const listener = listen_on(chosen);
    for (;;) {
        file_descriptor socket(accept(listener.number(), nullptr, nullptr));
        if (socket.number() < 0) {
            if (errno == EINTR || errno == ECONNABORTED) continue;
            throw std::runtime_error("accept: " + std::string(std::strerror(errno)));
        }
        int const on = 1;
        setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        std::thread(serve, byte_stream(std::move(socket), tls.get()), std::string_view(reply))
            .detach();
    }
}

// Throws po::error for a wrong command line; nothing when help was asked for, and given.
std::optional<options> parse_options(int argc, char const* const* argv) {
    options chosen;
    std::string listen;
    po::options_description description(
        "Reads requests and answers each with as many bytes as told: the floor under an extender.\n"
        "\nOptions");
    // clang-format off
    description.add_options()
        ("help", "show this")
        ("listen", po::value(&listen)->default_value("127.0.0.1:0"), "a loopback address; port 0 takes a free one, which is printed")
        ("reply-bytes", po::value(&chosen.reply_bytes)->required(), "body of each answer")
        ("cert", po::value(&chosen.cert), "server certificate, PEM")
        ("key", po::value(&chosen.key), "its key, PEM")
        ("plain", "no TLS");
    // clang-format on
    po::variables_map values;
    po::store(po::command_line_parser(argc, argv).options(description).positional({}).run(),
              values);
    if (values.count("help")) {
        std::cout << description;
        return std::nullopt;
    }
    po::notify(values);
    bool const plain = values.count("plain") != 0;
    if (plain != chosen.cert.empty() || plain != chosen.key.empty())
        throw po::error("either --plain, or --cert and --key");
    if (chosen.reply_bytes > std::uint64_t{1} << 32)
        throw po::error("--reply-bytes: more than 4 GiB");

    auto const colon = listen.rfind(':');
    in_addr address{};
    if (colon != listen.npos) chosen.address = listen.substr(0, colon);
    char const* const port = listen.data() + std::min(colon + 1, listen.size());
    char const* const all = listen.data() + listen.size();
    auto const [end, error] = std::from_chars(port, all, chosen.port);
    if (colon == listen.npos || error != std::errc{} || end != all ||
        inet_pton(AF_INET, chosen.address.c_str(), &address) != 1 ||
        ntohl(address.s_addr) >> 24 != 127)
        throw po::error("--listen: " + listen + " is not 127.x.x.x:PORT");
    return chosen;
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    try {
        if (auto const chosen = parse_options(argc, argv)) run(*chosen);
        return 0;
    } catch (std::exception const& error) {
        std::cerr << "nodesieve-sink: " << error.what() << '\n';
        return 2;
    }
}
