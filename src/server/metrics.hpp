#pragma once

#include <nodesieve/request_pipeline.hpp>
#include <nodesieve/verdicts.hpp>
#include <nodesieve/watch_event_parser.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace nodesieve::server {

/// What one answered extender request counts as.
struct request_record {
    verb what = verb::filter;
    unsigned status = 0;
    std::string_view refusal;  ///< the reason, one of docs/metrics.md; empty for an answer
    std::chrono::nanoseconds duration{};  ///< first byte of the request to last byte of the answer
    verdict_counts nodes;                 ///< of filter and preempt
};

/// What the node cache is at the moment.
struct node_cache_reading {
    std::chrono::nanoseconds age{};  ///< since the API server was last heard
    std::size_t nodes = 0;
};

/// The metrics of /metrics, by prometheus-cpp. docs/metrics.md lists them. Every series exists from
/// the start, so that a rate over one that never counted is 0 and not absent. Thread-safe.
class metrics {
  public:
    explicit metrics(std::string_view version);
    ~metrics();
    metrics(metrics const&) = delete;
    metrics& operator=(metrics const&) = delete;

    void count(request_record const& record);
    /// A request that reached no verb: 404, 405 or no HTTP.
    void count_unrouted(unsigned status, std::string_view reason);
    /// The peer left before its request was whole.
    void count_abandoned_request();
    /// The peer did not take an answer to its end.
    void count_unsent_answer();
    void count_failed_handshake();
    void connection_opened();
    void connection_closed();

    /// Adds the series of the node cache, whose values `read` tells whenever they are asked for.
    /// Call it at most once and before the other functions of the node cache, which count nothing
    /// without it, and before any other thread uses the metrics.
    void add_node_cache(std::function<node_cache_reading()> read);
    void count_node_list(bool succeeded);
    void count_watch_event(watch_event_type type);
    /// `reason` is one of docs/metrics.md.
    void count_watch_failure(std::string_view reason);

    /// In Prometheus' text format, version 0.0.4.
    [[nodiscard]] std::string text() const;

  private:
    struct families;
    std::unique_ptr<families> families_;
};

}  // namespace nodesieve::server
