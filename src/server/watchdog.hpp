#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>

namespace nodesieve::server {

/// Holds a socket to a deadline: when it passes, the socket's operations are cancelled and
/// expired() tells that this is why. Moving the deadline later costs nothing: the timer finds out
/// when it fires.
///
/// Belongs to the thread of the socket's executor, like everything that calls it. Timer handlers
/// keep it alive; release() must be called before the socket goes.
class watchdog : public std::enable_shared_from_this<watchdog> {
  public:
    using clock = std::chrono::steady_clock;

    explicit watchdog(boost::asio::ip::tcp::socket& socket);

    void expires_at(clock::time_point deadline);
    [[nodiscard]] bool expired() const noexcept { return expired_; }
    void release();

  private:
    void wait();

    boost::asio::ip::tcp::socket* socket_;
    boost::asio::steady_timer timer_;
    clock::time_point deadline_{};
    bool waiting_ = false;
    bool expired_ = false;
};

}  // namespace nodesieve::server
