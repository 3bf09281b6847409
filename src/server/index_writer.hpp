#pragma once

#include "metrics.hpp"

#include <nodesieve/api_status.hpp>
#include <nodesieve/node_index.hpp>
#include <nodesieve/node_list_parser.hpp>
#include <nodesieve/watch_event_parser.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace nodesieve::server {

/// Puts the nodes of a list into an index, and then what the events of a watch change. Not
/// thread-safe.
class index_writer final : public node_list_sink, public watch_event_sink {
  public:
    /// `measured` counts the events and must outlive this object.
    explicit index_writer(metrics& measured) : metrics_(&measured) {}

    void on_node(std::string_view name, std::int32_t memory_mib) override {
        builder_.set(name, memory_mib);
    }
    void on_event(watch_event const& event) override;

    /// The list is complete.
    void finish_list(std::string_view version);
    void start_watch() noexcept;
    /// What follows are the events of one read.
    void start_batch() noexcept { changed_ = heard_ = false; }
    /// Whether they changed a node; then nodes() is the next state.
    [[nodiscard]] bool finish_batch();

    /// Of the last list or batch.
    [[nodiscard]] node_index const& nodes() const noexcept { return nodes_; }
    /// Where a watch goes on.
    [[nodiscard]] std::string const& resource_version() const noexcept { return version_; }
    /// Whether the batch had an event or a bookmark, news or not.
    [[nodiscard]] bool heard() const noexcept { return heard_; }
    /// Whether the watch had one.
    [[nodiscard]] bool progressed() const noexcept { return progressed_; }
    /// Why the server ends the watch.
    [[nodiscard]] std::optional<api_status> const& error() const noexcept { return error_; }

  private:
    metrics* metrics_;
    node_index_builder builder_;
    node_index nodes_;
    std::string version_;
    bool changed_ = false;
    bool heard_ = false;
    bool progressed_ = false;
    std::optional<api_status> error_;
};

}  // namespace nodesieve::server
