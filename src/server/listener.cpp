#include "listener.hpp"

#include "endpoint_address.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <stdexcept>

namespace nodesieve::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds pause_after_error{100};

error_code try_open(tcp::acceptor& acceptor, tcp::endpoint const& endpoint) {
    error_code ec;
    acceptor.close(ec);
    acceptor.open(endpoint.protocol(), ec);
    if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
    if (!ec && endpoint.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only(false), ec);
    if (!ec) acceptor.bind(endpoint, ec);
    if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
    return ec;
}

}  // namespace

tcp::acceptor open_listener(asio::any_io_executor executor, std::string_view flag,
                            std::string_view address) {
    tcp::acceptor acceptor(std::move(executor));
    const auto parsed = parse_endpoint_address(address);
    const auto endpoint = to_endpoint(parsed);
    auto ec = try_open(acceptor, endpoint);
    if (ec && parsed.host.empty()) ec = try_open(acceptor, {tcp::v4(), parsed.port});
    if (ec)
        throw std::runtime_error(std::string(flag) + " " + std::string(address) + ": " +
                                 ec.message() + "; choose another address or port");
    return acceptor;
}

asio::awaitable<void> accept_connections(tcp::acceptor& acceptor, event_loops& loops,
                                         std::function<void(tcp::socket)> hand_over,
                                         std::atomic<bool> const& stopping, log& logged,
                                         log_throttle& errors) {
    asio::steady_timer pause(acceptor.get_executor());
    while (!stopping) {
        tcp::socket socket(loops.next());
        const auto [ec] =
            co_await acceptor.async_accept(socket, asio::as_tuple(asio::use_awaitable));
        if (!ec) {
            hand_over(std::move(socket));
            continue;
        }
        if (ec == asio::error::operation_aborted) continue;
        if (const auto suppressed = errors.admit(std::chrono::steady_clock::now()))
            logged.write(log::level::error, "cannot accept connections",
                         {{"error", ec.message()}, {"suppressed", *suppressed}});
        pause.expires_after(pause_after_error);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    error_code ec;
    acceptor.non_blocking(true, ec);
    while (!ec) {
        tcp::socket socket(loops.next());
        acceptor.accept(socket, ec);
        if (!ec) hand_over(std::move(socket));
    }
    acceptor.close(ec);
}

}  // namespace nodesieve::server
