#include "node_cache.hpp"

#include <string>
#include <utility>

namespace nodesieve::server {

void node_cache::publish(node_index nodes, clock::time_point now) {
    std::optional<node_index> last(std::move(nodes));
    const std::scoped_lock lock(mutex_);
    index_.swap(last);  // the last state goes behind the lock
    heard_ = now;
}

void node_cache::heard(clock::time_point now) {
    const std::scoped_lock lock(mutex_);
    heard_ = now;
}

named_nodes node_cache::nodes(clock::time_point now) const {
    using readiness = named_nodes::readiness;
    named_nodes result{.state = readiness::not_ready, .index = {}, .why_not_ready = {}};
    const std::scoped_lock lock(mutex_);
    if (!index_) {
        result.why_not_ready = "the API server has not listed the nodes yet";
    } else if (const auto since = now - heard_; since > max_age_) {
        const auto seconds = [](auto d) {
            return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(d).count()) +
                   " s";
        };
        result.why_not_ready = "the API server was last heard " + seconds(since) +
                               " ago, more than --node-cache-max-age (" + seconds(max_age_) + ")";
    } else {
        result.state = readiness::ready;
        result.index = index_;
    }
    return result;
}

std::optional<node_cache::clock::duration> node_cache::age(clock::time_point now) const {
    const std::scoped_lock lock(mutex_);
    if (!index_) return std::nullopt;
    return now - heard_;
}

std::size_t node_cache::size() const {
    const std::scoped_lock lock(mutex_);
    return index_ ? index_->size() : 0;
}

}  // namespace nodesieve::server
