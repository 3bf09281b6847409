#pragma once

#include "options.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <string>
#include <vector>

namespace nodesieve::server {

/// The extender: listens on both ports and answers on a pool of threads until it is told to stop.
///
/// Call order: the constructor opens everything that can fail; start() serves; stop() drains;
/// wait() returns when the last request is answered. The process must ignore SIGPIPE.
class extender_server {
  public:
    /// Throws std::runtime_error with one line that says which flag to change. `logged` must
    /// outlive the server.
    extender_server(options settings, log& logged);
    ~extender_server();
    extender_server(extender_server const&) = delete;
    extender_server& operator=(extender_server const&) = delete;

    /// Serves on threads of its own.
    void start();

    /// Begins the shutdown: /readyz fails, no connection is accepted, idle ones are closed, and
    /// those with a request are closed behind its answer. Returns at once. Any thread may call it,
    /// any number of times.
    void stop();

    /// Until stop() was called and is done.
    void wait();

    /// Calls stop() on SIGTERM or SIGINT.
    void stop_on_signals();

    /// Where it listens, with the port that the system chose for port 0.
    [[nodiscard]] boost::asio::ip::tcp::endpoint address() const;
    [[nodiscard]] boost::asio::ip::tcp::endpoint admin_address() const;

    [[nodiscard]] unsigned threads() const noexcept;
    /// About certificates that will make trouble and an API server that is not verified, one line
    /// each.
    [[nodiscard]] std::vector<std::string> const& warnings() const noexcept;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace nodesieve::server
