#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace nodesieve::server {

/// A pool of threads, each with an io_context of its own that nobody else runs. What an executor of
/// it is given runs on one thread, in order: a connection needs no strand, and its events wake no
/// other thread. Measured against one io_context that all threads run:
/// docs/decisions/0002-threads.md.
class event_loops {
  public:
    /// `count` is at least 1. Nothing runs before start().
    explicit event_loops(unsigned count);
    ~event_loops();
    event_loops(event_loops const&) = delete;
    event_loops& operator=(event_loops const&) = delete;

    [[nodiscard]] std::size_t size() const noexcept { return loops_.size(); }
    [[nodiscard]] boost::asio::io_context& front() noexcept { return loops_.front()->context; }

    /// One executor after the other. Any thread may ask.
    [[nodiscard]] boost::asio::any_io_executor next() noexcept;
    /// The same but for `own`, where there is more than one.
    [[nodiscard]] boost::asio::any_io_executor next_but(
        boost::asio::any_io_executor const& own) noexcept;

    void start();
    /// Ends the threads without waiting for what is queued.
    void stop();

  private:
    struct loop {
        boost::asio::io_context context{1};
        boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work =
            boost::asio::make_work_guard(context);
    };
    std::vector<std::unique_ptr<loop>> loops_;
    std::atomic<std::size_t> next_ = 0;
    std::vector<std::jthread> threads_;
};

}  // namespace nodesieve::server
