#pragma once

#include "event_loops.hpp"

#include <nodesieve/body_segment.hpp>
#include <nodesieve/policy.hpp>
#include <nodesieve/request_pipeline.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace nodesieve::server {

/// Receives a large body in segments. While the peer is quicker than this thread, they are offered
/// to other threads, which parse them ahead; the caller goes on receiving, and takes back what none
/// of them has begun. While the peer is slower, the caller parses them itself in the time that it
/// would wait: it costs nothing, and leaves the other cores alone.
///
/// Call order: loop { n = receive into prepare(); commit(n); }, then finish(). The caller's thread
/// makes all calls; only body_segment::parse_ahead runs elsewhere.
class segment_ring {
  public:
    /// The references must outlive the ring. `own` is the executor of the caller.
    segment_ring(policy_config const& config, request_pipeline& pipeline, event_loops& loops,
                 boost::asio::any_io_executor own);

    /// Where the next bytes go, never empty.
    [[nodiscard]] std::span<char> prepare() noexcept { return filling().segment.prepare(); }
    /// `waits`: how often the peer had to be waited for so far.
    void commit(std::size_t size, std::uint64_t waits);

    /// Hands everything that is left to the pipeline.
    void finish();

  private:
    enum class stage : std::uint8_t {
        filling,
        waiting,  ///< for a thread that parses ahead, or for the caller
        parsing,
        parsed,
        taken,  ///< by the caller, unparsed
    };
    struct slot {
        explicit slot(policy_config const& config) : segment(config) {}
        body_segment segment;
        std::atomic<stage> state = stage::filling;
    };
    static constexpr std::size_t slot_count = 4;

    [[nodiscard]] slot& filling() noexcept { return *slots_[filling_ % slot_count]; }
    void hand_out();
    static bool parse_ahead(slot& s);
    [[nodiscard]] bool claim(slot& s, bool must);
    void drain(std::size_t keep);

    request_pipeline& pipeline_;
    event_loops& loops_;
    boost::asio::any_io_executor own_;
    std::array<std::shared_ptr<slot>, slot_count> slots_;  // a posted handler may outlive the ring
    std::size_t oldest_ = 0;   // the segment that the pipeline needs next
    std::size_t filling_ = 0;  // the segment that is being received
    std::uint64_t waits_ = 0;  // when it began
};

}  // namespace nodesieve::server
