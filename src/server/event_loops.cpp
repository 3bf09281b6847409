#include "event_loops.hpp"

namespace nodesieve::server {

event_loops::event_loops(unsigned count) {
    for (; count > 0; --count) loops_.push_back(std::make_unique<loop>());
}

event_loops::~event_loops() { stop(); }

boost::asio::any_io_executor event_loops::next() noexcept {
    return loops_[next_.fetch_add(1, std::memory_order_relaxed) % size()]->context.get_executor();
}

boost::asio::any_io_executor event_loops::next_but(
    boost::asio::any_io_executor const& own) noexcept {
    auto executor = next();
    if (executor == own) executor = next();
    return executor;
}

void event_loops::start() {
    for (auto& l : loops_) threads_.emplace_back([&context = l->context] { context.run(); });
}

void event_loops::stop() {
    for (auto& l : loops_) l->context.stop();
    threads_.clear();
}

}  // namespace nodesieve::server
