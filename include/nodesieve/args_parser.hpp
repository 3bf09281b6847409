#pragma once

#include <nodesieve/body_segment.hpp>
#include <nodesieve/error.hpp>
#include <nodesieve/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace nodesieve {

/// Takes what args_parser finds, in the order in which it stands in the body.
class args_sink {
  public:
    /// At most once. The views are valid during the call.
    virtual void on_pod(pod_facts const& pod, std::string_view namespace_name,
                        std::string_view name) = 0;

    /// A first or further part of the JSON text of the node that on_node() ends.
    virtual void on_node_part(std::string_view text) = 0;

    /// A node: the last part of its JSON text (from its first `{` to its last `}`, as received, its
    /// parts taken together), its unescaped name, empty where it has none, and the memory that its
    /// label states, 0 for none. The views are valid during the call.
    virtual void on_node(std::string_view text, std::string_view name, std::int32_t memory_mib) = 0;

    /// An element of NodeNames, unescaped, empty for null. Valid during the call.
    virtual void on_node_name(std::string_view name) = 0;
    /// NodeNames is complete, and not null.
    virtual void on_node_names_end() = 0;

    /// An entry of NodeNameToVictims or NodeNameToMetaVictims: a node, the UIDs of the Pods that
    /// would be evicted there, and how many of these violate a PodDisruptionBudget. Unescaped;
    /// valid during the call.
    virtual void on_candidate(std::string_view node, std::span<std::string const> uids,
                              std::int64_t violations) = 0;

  protected:
    ~args_sink() = default;
};

/// What a body is read as.
enum class body_form : std::uint8_t {
    nodes,           ///< ExtenderArgs with Nodes
    nodes_or_names,  ///< ExtenderArgs with either Nodes or NodeNames
    preemption,      ///< ExtenderPreemptionArgs
};

/// Reads a body of kube-scheduler (k8s.io/kube-scheduler/extender/v1) while it arrives, as Go's
/// encoding/json reads it, and hands out the Pod's facts and each node as soon as it is complete.
/// The values are parsed by Boost.JSON's basic_parser, each Node as a document of its own, so that
/// its first and last byte are known; no DOM is built and no text is kept but the block being read.
///
/// Call order:
///     start();
///     loop { n = receive into prepare(); commit(n); }   or   loop { write(bytes); }
///     finish();
/// Every call returns the first error, and goes on returning it; bytes behind it are not looked at.
///
/// The parser sees blocks of 32 KiB, counted from the start of the body, whatever the pieces that
/// arrive: basic_parser resumes in time proportional to the depth, and the same bytes give the same
/// answer to the letter however they were cut.
///
///     | block | block | block |      the buffer: parsed blocks are gone at once,
///     parsed  ^ begin    ^ end       [begin, end) waits for the rest of its block
///
/// Not thread-safe; several parsers do not share anything.
class args_parser {
  public:
    /// Measured: blocks of 16 KiB cost 1.26 times basic_parser on a whole body, of 32 KiB 1.16, and
    /// larger ones no less.
    static constexpr std::size_t block_bytes = 32 * 1024;

    /// `config` and `sink` must outlive the parser.
    args_parser(policy_config const& config, args_sink& sink);
    ~args_parser();
    args_parser(args_parser const&) = delete;
    args_parser& operator=(args_parser const&) = delete;

    /// Forgets the last body. Memory is kept for the next one.
    void start(body_form form);

    /// Where the next bytes go, never empty: receive into it directly and save a copy.
    [[nodiscard]] std::span<char> prepare() noexcept;
    /// Reads the first `size` bytes of prepare().
    [[nodiscard]] errc commit(std::size_t size);
    /// Reads bytes that lie elsewhere.
    [[nodiscard]] errc write(std::string_view bytes);
    /// Reads a segment, which may have been parsed ahead, and empties it. A body that comes in
    /// segments comes in nothing else.
    [[nodiscard]] errc write(body_segment& segment);

    /// The body is complete: reads the last block. Further: errc::malformed_request for a body that
    /// ends early, errc::pod_and_nodes_required, errc::pod_and_victims_required.
    [[nodiscard]] errc finish();

    /// The error and what was seen; errc::success until there is one.
    [[nodiscard]] diagnostics const& failure() const noexcept;

  private:
    class reader;
    std::unique_ptr<reader> reader_;  // keeps the parsers out of this header
};

}  // namespace nodesieve
