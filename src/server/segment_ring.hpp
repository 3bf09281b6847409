#pragma once

#include <nodesieve/body_segment.hpp>
#include <nodesieve/policy.hpp>
#include <nodesieve/request_pipeline.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

namespace nodesieve::server {

/// Receives a large body in segments and has them parsed ahead by whichever thread of the pool is
/// idle, while the caller receives the next ones. When none is, the caller takes the segments back
/// and parses them itself: it never waits for a thread to become free.
///
/// Call order: loop { n = receive into prepare(); commit(n); }, then finish(). The caller's strand
/// makes all calls; only body_segment::parse_ahead runs elsewhere.
class segment_ring {
  public:
    /// The references must outlive the ring; `pool` runs what may be done on any thread.
    segment_ring(policy_config const& config, request_pipeline& pipeline,
                 boost::asio::any_io_executor pool);

    /// Where the next bytes go, never empty.
    [[nodiscard]] std::span<char> prepare() noexcept { return filling().segment.prepare(); }
    void commit(std::size_t size);

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
    [[nodiscard]] bool claim(slot& s, bool must);
    void drain(std::size_t keep);

    request_pipeline& pipeline_;
    boost::asio::any_io_executor pool_;
    std::array<std::shared_ptr<slot>, slot_count> slots_;  // a posted handler may outlive the ring
    std::size_t oldest_ = 0;   // the segment that the pipeline needs next
    std::size_t filling_ = 0;  // the segment that is being received
};

}  // namespace nodesieve::server
