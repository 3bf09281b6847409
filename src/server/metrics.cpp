#include "metrics.hpp"

#include "watch_schedule.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <locale>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace nodesieve::server {
namespace {

constexpr std::array verbs{verb::filter, verb::prioritize, verb::preempt};
constexpr std::array statuses{200U, 400U, 408U, 413U, 503U};
constexpr std::array unrouted_statuses{400U, 404U, 405U, 408U, 431U};
constexpr std::array<std::string_view, 13> refusals{"malformed_request",
                                                    "body_too_large",
                                                    "trailing_data",
                                                    "pod_and_nodes_required",
                                                    "too_many_nodes",
                                                    "bad_node_name",
                                                    "invalid_minimum",
                                                    "minimum_without_gpu",
                                                    "read_timeout",
                                                    "bad_chunk",
                                                    "pod_and_victims_required",
                                                    "node_cache_off",
                                                    "node_cache_not_ready"};
constexpr std::array<std::string_view, 5> unrouted_refusals{
    "not_found", "method_not_allowed", "bad_request", "header_timeout", "header_too_large"};
constexpr std::array verdicts{verdict::fits, verdict::invalid_label, verdict::below_minimum,
                              verdict::invalid_pod, verdict::unknown_node};

// From names-only requests of a few hundred microseconds, which stand closest, to kube-scheduler's
// default timeout of 5 s.
const prometheus::Histogram::BucketBoundaries duration_buckets{
    0.00025, 0.0005, 0.00075, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5};

struct verb_metrics {
    std::map<unsigned, prometheus::Counter*> requests;
    std::map<std::string_view, prometheus::Counter*> refusals;
    prometheus::Histogram* duration = nullptr;
    prometheus::Gauge* last_request = nullptr;
};

/// Of the node cache, where there is one.
struct node_cache_metrics {
    std::function<node_cache_reading()> read;
    prometheus::Gauge* age = nullptr;
    prometheus::Gauge* nodes = nullptr;
    std::array<prometheus::Counter*, 2> lists{};  // failed, succeeded
    std::array<prometheus::Counter*, watch_event_type_count> events{};
    std::map<std::string_view, prometheus::Counter*> failures;
};

}  // namespace

struct metrics::families {
    prometheus::Registry registry;
    std::array<verb_metrics, verb_count> verbs;
    std::array<prometheus::Counter*, verdict_count> nodes{};
    std::array<prometheus::Counter*, verdict_count> candidates{};
    std::map<unsigned, prometheus::Counter*> unrouted;
    std::map<std::string_view, prometheus::Counter*> unrouted_refusals;
    prometheus::Counter* abandoned = nullptr;
    prometheus::Counter* unsent = nullptr;
    prometheus::Counter* failed_handshakes = nullptr;
    prometheus::Gauge* connections = nullptr;
    std::optional<node_cache_metrics> node_cache;
};

metrics::metrics(std::string_view version) : families_(std::make_unique<families>()) {
    auto& registry = families_->registry;
    auto& requests = prometheus::BuildCounter()
                         .Name("nodesieve_requests_total")
                         .Help(
                             "HTTP requests on the extender's port, by verb and status code. Verb "
                             "\"none\": no endpoint was reached.")
                         .Register(registry);
    auto& refused = prometheus::BuildCounter()
                        .Name("nodesieve_refusals_total")
                        .Help("Extender requests that were refused, by verb and reason.")
                        .Register(registry);
    auto& durations = prometheus::BuildHistogram()
                          .Name("nodesieve_request_duration_seconds")
                          .Help(
                              "From the first byte of an extender request to the last byte of its "
                              "answer, by verb.")
                          .Register(registry);
    auto& last = prometheus::BuildGauge()
                     .Name("nodesieve_last_request_timestamp_seconds")
                     .Help("Unix time of the last extender request, by verb; 0 before the first.")
                     .Register(registry);
    for (const auto v : verbs) {
        auto& m = families_->verbs[static_cast<std::size_t>(v)];
        const std::string name(name_of(v));
        for (const auto status : statuses)
            m.requests[status] = &requests.Add({{"verb", name}, {"code", std::to_string(status)}});
        for (const auto reason : refusals)
            m.refusals[reason] = &refused.Add({{"verb", name}, {"reason", std::string(reason)}});
        m.duration = &durations.Add({{"verb", name}}, duration_buckets);
        m.last_request = &last.Add({{"verb", name}});
    }
    for (const auto status : unrouted_statuses)
        families_->unrouted[status] =
            &requests.Add({{"verb", "none"}, {"code", std::to_string(status)}});
    for (const auto reason : unrouted_refusals)
        families_->unrouted_refusals[reason] =
            &refused.Add({{"verb", "none"}, {"reason", std::string(reason)}});

    auto& nodes = prometheus::BuildCounter()
                      .Name("nodesieve_filtered_nodes_total")
                      .Help("Nodes that filter judged, by verdict.")
                      .Register(registry);
    auto& candidates = prometheus::BuildCounter()
                           .Name("nodesieve_preemption_candidates_total")
                           .Help(
                               "Nodes that kube-scheduler offered for preemption, by verdict. All "
                               "but those that fit are spared.")
                           .Register(registry);
    for (const auto v : verdicts) {
        const auto i = static_cast<std::size_t>(v);
        families_->nodes[i] = &nodes.Add({{"verdict", std::string(slug(v))}});
        families_->candidates[i] = &candidates.Add({{"verdict", std::string(slug(v))}});
    }

    families_->abandoned = &prometheus::BuildCounter()
                                .Name("nodesieve_abandoned_requests_total")
                                .Help("Extender requests whose peer left before they were whole.")
                                .Register(registry)
                                .Add({});
    families_->unsent = &prometheus::BuildCounter()
                             .Name("nodesieve_unsent_answers_total")
                             .Help("Answers that the peer did not take to their end.")
                             .Register(registry)
                             .Add({});
    families_->failed_handshakes = &prometheus::BuildCounter()
                                        .Name("nodesieve_tls_handshake_failures_total")
                                        .Help("TLS handshakes that failed.")
                                        .Register(registry)
                                        .Add({});
    families_->connections = &prometheus::BuildGauge()
                                  .Name("nodesieve_open_connections")
                                  .Help("Connections on the extender's port.")
                                  .Register(registry)
                                  .Add({});
    prometheus::BuildGauge()
        .Name("nodesieve_build_info")
        .Help("1, with the version that runs.")
        .Register(registry)
        .Add({{"version", std::string(version)}})
        .Set(1);
}

metrics::~metrics() = default;

void metrics::count(request_record const& record) {
    auto& m = families_->verbs[static_cast<std::size_t>(record.what)];
    if (const auto found = m.requests.find(record.status); found != m.requests.end())
        found->second->Increment();
    if (const auto found = m.refusals.find(record.refusal); found != m.refusals.end())
        found->second->Increment();
    m.duration->Observe(std::chrono::duration<double>(record.duration).count());
    m.last_request->SetToCurrentTime();
    if (record.what == verb::prioritize) return;
    auto& judged = record.what == verb::filter ? families_->nodes : families_->candidates;
    for (const auto v : verdicts)
        if (record.nodes[v] != 0) judged[static_cast<std::size_t>(v)]->Increment(record.nodes[v]);
}

void metrics::count_unrouted(unsigned status, std::string_view reason) {
    if (const auto found = families_->unrouted.find(status); found != families_->unrouted.end())
        found->second->Increment();
    if (const auto found = families_->unrouted_refusals.find(reason);
        found != families_->unrouted_refusals.end())
        found->second->Increment();
}

void metrics::count_abandoned_request() { families_->abandoned->Increment(); }
void metrics::count_unsent_answer() { families_->unsent->Increment(); }
void metrics::count_failed_handshake() { families_->failed_handshakes->Increment(); }
void metrics::connection_opened() { families_->connections->Increment(); }
void metrics::connection_closed() { families_->connections->Decrement(); }

void metrics::add_node_cache(std::function<node_cache_reading()> read) {
    auto& registry = families_->registry;
    auto& m = families_->node_cache.emplace();
    m.read = std::move(read);
    m.age = &prometheus::BuildGauge()
                 .Name("nodesieve_node_cache_age_seconds")
                 .Help(
                     "Since the API server was last heard (list, event or bookmark); since the "
                     "start before the first list.")
                 .Register(registry)
                 .Add({});
    m.nodes = &prometheus::BuildGauge()
                   .Name("nodesieve_node_cache_nodes")
                   .Help("Nodes in the cache.")
                   .Register(registry)
                   .Add({});
    auto& lists = prometheus::BuildCounter()
                      .Name("nodesieve_node_cache_lists_total")
                      .Help("Lists of all nodes, by result.")
                      .Register(registry);
    m.lists = {&lists.Add({{"result", "failure"}}), &lists.Add({{"result", "success"}})};
    auto& events = prometheus::BuildCounter()
                       .Name("nodesieve_node_cache_watch_events_total")
                       .Help("Events of the watch of nodes, by type.")
                       .Register(registry);
    for (std::size_t i = 0; i < m.events.size(); ++i)
        m.events[i] = &events.Add({{"type", std::string(slug(static_cast<watch_event_type>(i)))}});
    auto& failures = prometheus::BuildCounter()
                         .Name("nodesieve_node_cache_watch_failures_total")
                         .Help("Lists and watches of nodes that failed, by reason.")
                         .Register(registry);
    for (std::size_t i = 1; i < watch_outcome_count; ++i) {
        const auto reason = slug(static_cast<watch_outcome>(i));
        m.failures[reason] = &failures.Add({{"reason", std::string(reason)}});
    }
}

void metrics::count_node_list(bool succeeded) {
    if (families_->node_cache) families_->node_cache->lists[succeeded ? 1 : 0]->Increment();
}

void metrics::count_watch_event(watch_event_type type) {
    if (families_->node_cache)
        families_->node_cache->events[static_cast<std::size_t>(type)]->Increment();
}

void metrics::count_watch_failure(std::string_view reason) {
    if (!families_->node_cache) return;
    auto const& failures = families_->node_cache->failures;
    if (const auto found = failures.find(reason); found != failures.end())
        found->second->Increment();
}

std::string metrics::text() const {
    if (families_->node_cache) {
        auto const& m = *families_->node_cache;
        const auto reading = m.read();
        m.age->Set(std::chrono::duration<double>(reading.age).count());
        m.nodes->Set(static_cast<double>(reading.nodes));
    }
    std::ostringstream out;
    out.imbue(std::locale::classic());
    prometheus::TextSerializer{}.Serialize(out, families_->registry.Collect());
    return std::move(out).str();
}

}  // namespace nodesieve::server
