#include "service.hpp"

#include <boost/asio/post.hpp>

namespace nodesieve::server {

connection_registry::handle connection_registry::add(entry e) {
    const std::scoped_lock lock(mutex_);
    return entries_.insert(entries_.end(), std::move(e));
}

void connection_registry::remove(handle h) {
    const std::scoped_lock lock(mutex_);
    entries_.erase(h);
}

std::size_t connection_registry::size() const {
    const std::scoped_lock lock(mutex_);
    return entries_.size();
}

void connection_registry::wake_all() {
    const std::scoped_lock lock(mutex_);
    for (auto const& e : entries_) boost::asio::post(e.executor, e.wake);
}

}  // namespace nodesieve::server
