#include "segment_ring.hpp"

#include <boost/asio/post.hpp>

namespace nodesieve::server {

segment_ring::segment_ring(policy_config const& config, request_pipeline& pipeline,
                           event_loops& loops, boost::asio::any_io_executor own)
    : pipeline_(pipeline), loops_(loops), own_(std::move(own)) {
    for (auto& s : slots_) s = std::make_shared<slot>(config);
}

void segment_ring::commit(std::size_t size, std::uint64_t waits) {
    auto& segment = filling().segment;
    segment.commit(size);
    if (!segment.full()) return;
    const bool peer_is_quicker = waits == waits_;
    waits_ = waits;
    filling().state.store(stage::waiting, std::memory_order_release);
    if (peer_is_quicker && loops_.size() > 1) hand_out();
    ++filling_;
    drain(peer_is_quicker ? slot_count - 1 : 0);
}

void segment_ring::finish() {
    drain(0);
    pipeline_.write(filling().segment);
}

/// Offers the full segment to another thread.
void segment_ring::hand_out() {
    boost::asio::post(loops_.next_but(own_),
                      [s = slots_[filling_ % slot_count]] { parse_ahead(*s); });
}

/// False when the segment is no longer to be had.
bool segment_ring::parse_ahead(slot& s) {
    auto expected = stage::waiting;
    if (!s.state.compare_exchange_strong(expected, stage::parsing)) return false;
    s.segment.parse_ahead();
    s.state.store(stage::parsed, std::memory_order_release);
    s.state.notify_one();
    return true;
}

/// Gives the pipeline what is ready, and more until at most `keep` segments are left.
void segment_ring::drain(std::size_t keep) {
    while (oldest_ < filling_) {
        auto& s = *slots_[oldest_ % slot_count];
        if (!claim(s, filling_ - oldest_ > keep)) return;
        pipeline_.write(s.segment);
        s.state.store(stage::filling, std::memory_order_relaxed);
        ++oldest_;
    }
}

/// Whether the segment is the caller's now. Where it must be, one that nobody has begun is taken
/// back. One that is being parsed is waited for, with work on the segments behind it while there is
/// any.
bool segment_ring::claim(slot& s, bool must) {
    auto state = s.state.load(std::memory_order_acquire);
    if (state == stage::waiting && must &&
        s.state.compare_exchange_strong(state, stage::taken, std::memory_order_acquire))
        return true;
    if (state == stage::parsing && must) {
        for (auto& other : slots_)
            if (s.state.load(std::memory_order_acquire) == stage::parsing) parse_ahead(*other);
        s.state.wait(stage::parsing, std::memory_order_acquire);
        state = stage::parsed;
    }
    return state == stage::parsed;
}

}  // namespace nodesieve::server
