#include "index_writer.hpp"

namespace nodesieve::server {

void index_writer::on_event(watch_event const& event) {
    metrics_->count_watch_event(event.type);
    if (event.type == watch_event_type::error) {
        error_ = *event.status;
        return;
    }
    heard_ = progressed_ = true;
    version_ = event.resource_version;
    if (event.type == watch_event_type::bookmark) return;
    // Most events are a kubelet's heartbeat, which says nothing new. Behind a change nodes_ is the
    // past, and what it knows says nothing.
    const auto known = changed_ ? std::nullopt : nodes_.find(event.name);
    if (event.type == watch_event_type::deleted) {
        if (!changed_ && !known) return;
        builder_.erase(event.name);
    } else {
        if (known && known->memory_mib == event.memory_mib) return;
        builder_.set(event.name, event.memory_mib);
    }
    changed_ = true;
}

void index_writer::finish_list(std::string_view version) {
    version_ = version;
    nodes_ = builder_.snapshot();
}

void index_writer::start_watch() noexcept {
    progressed_ = false;
    error_.reset();
}

bool index_writer::finish_batch() {
    if (changed_) nodes_ = builder_.snapshot();
    return changed_;
}

}  // namespace nodesieve::server
