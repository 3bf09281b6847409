#pragma once

#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace nodesieve::bench {

/// A server in this process, on a free port of loopback, that does what a test's script says: the
/// script gets each connection on a thread of its own, and the connection is closed when it
/// returns.
///
/// Scripts must return when the client closes; clients must go before the server does.
class stub_server {
  public:
    using tcp = boost::asio::ip::tcp;
    using script = std::function<void(tcp::socket&)>;

    explicit stub_server(script serve)
        : acceptor_(context_, {boost::asio::ip::address_v4::loopback(), 0}),
          serve_(std::move(serve)),
          accepting_([this] { accept(); }) {}

    ~stub_server() {
        stopping_ = true;
        tcp::socket waker(context_);
        boost::system::error_code ignored;
        waker.connect(acceptor_.local_endpoint(), ignored);
        accepting_.join();
    }

    stub_server(stub_server const&) = delete;
    stub_server& operator=(stub_server const&) = delete;

    [[nodiscard]] std::string url(std::string_view scheme = "http",
                                  std::string_view host = "127.0.0.1") const {
        return std::string(scheme) + "://" + std::string(host) + ':' +
               std::to_string(acceptor_.local_endpoint().port()) + "/filter";
    }

    [[nodiscard]] std::size_t connections() const noexcept { return connections_; }

    /// Until so many connections have been closed.
    void wait_for_closed(std::size_t count) const {
        for (std::size_t seen = closed_; seen < count; seen = closed_) closed_.wait(seen);
    }

  private:
    void accept() {
        for (;;) {
            tcp::socket socket = acceptor_.accept();
            if (stopping_) return;
            ++connections_;
            serving_.emplace_back([this, moved = std::move(socket)]() mutable {
                serve_(moved);
                boost::system::error_code ignored;
                moved.close(ignored);
                ++closed_;
                closed_.notify_all();
            });
        }
    }

    boost::asio::io_context context_;
    tcp::acceptor acceptor_;
    script serve_;
    std::atomic<bool> stopping_ = false;
    std::atomic<std::size_t> connections_ = 0;
    std::atomic<std::size_t> closed_ = 0;
    std::vector<std::jthread> serving_;
    std::thread accepting_;
};

/// Reads one request from a stream, head and body; false when the client has closed.
template <class Stream>
bool read_request(Stream& stream) {
    std::string text;
    boost::system::error_code ec;
    std::size_t const head = read_until(stream, boost::asio::dynamic_buffer(text), "\r\n\r\n", ec);
    if (ec) return false;
    constexpr std::string_view name = "Content-Length: ";
    std::size_t const length = std::stoul(text.substr(text.find(name) + name.size()));
    std::size_t const held = text.size() - head;
    std::string rest(length - std::min(held, length), '\0');
    read(stream, boost::asio::buffer(rest), ec);
    return !ec;
}

template <class Stream>
void send(Stream& stream, std::string_view text) {
    boost::system::error_code ignored;
    write(stream, boost::asio::buffer(text.data(), text.size()), ignored);
}

/// An answer as it goes over the wire.
inline std::string answer(std::string_view body, std::string_view status = "200 OK") {
    return "HTTP/1.1 " + std::string(status) +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace nodesieve::bench
