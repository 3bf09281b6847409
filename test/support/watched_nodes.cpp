#include "watched_nodes.hpp"

#include <fcntl.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <utility>

namespace nodesieve::test {

using namespace std::chrono_literals;

server::node_watch_settings quick_watch_settings() {
    server::node_watch_settings result;
    result.backoff = {.first = 2ms, .most = 20ms, .most_retry_after = 50ms};
    return result;
}

watched_nodes::watched_nodes(server::kube_config config, server::node_watch_settings settings)
    : log_file_(::open((directory_.path() / "log").c_str(),
                       O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)),
      log_(server::log_format::json, log_file_),
      metrics_("test"),
      watch_(std::move(config), policy_, settings,
             {[this](node_index nodes) {
                  const std::scoped_lock lock(mutex_);
                  nodes_ = std::move(nodes);
                  ++published_;
                  changed_.notify_all();
              },
              [this] {
                  const std::scoped_lock lock(mutex_);
                  ++heard_;
                  changed_.notify_all();
              }},
             metrics_, log_) {
    std::signal(SIGPIPE, SIG_IGN);
    metrics_.add_node_cache([] { return server::node_cache_reading{}; });
    watch_.start();
}

bool watched_nodes::wait_for(std::function<bool(node_index const&)> const& holds) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return nodes_ && holds(*nodes_); });
}

bool watched_nodes::wait_for_memory(std::string_view name, std::int32_t memory_mib) const {
    return wait_for([&](node_index const& nodes) {
        const auto found = nodes.find(name);
        return found && found->memory_mib == memory_mib;
    });
}

bool watched_nodes::wait_for_size(std::size_t nodes) const {
    return wait_for([nodes](node_index const& n) { return n.size() == nodes; });
}

bool watched_nodes::wait_for_heard(std::size_t count) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return heard_ >= count; });
}

std::size_t watched_nodes::published() const {
    const std::scoped_lock lock(mutex_);
    return published_;
}

std::string watched_nodes::log_text() const {
    std::ostringstream text;
    text << std::ifstream(directory_.path() / "log").rdbuf();
    return text.str();
}

std::string watched_nodes::metric(std::string_view series) const {
    std::istringstream lines(metrics_.text());
    const auto start = std::string(series) + ' ';
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(start)) return line.substr(start.size());
    return {};
}

}  // namespace nodesieve::test
