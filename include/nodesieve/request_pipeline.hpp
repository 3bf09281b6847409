#pragma once

#include <nodesieve/args_parser.hpp>
#include <nodesieve/byte_chunks.hpp>
#include <nodesieve/error.hpp>
#include <nodesieve/limits.hpp>
#include <nodesieve/node_index.hpp>
#include <nodesieve/policy.hpp>
#include <nodesieve/verdicts.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nodesieve {

enum class verb : std::uint8_t { filter, prioritize, preempt };
inline constexpr std::size_t verb_count = 3;

/// As in paths, metrics and logs.
[[nodiscard]] std::string_view name_of(verb) noexcept;

/// What `filter` answers for a Pod whose own request is at fault.
enum class invalid_pod_answer : std::uint8_t {
    error,          ///< the reference's 400: kube-scheduler tries again for ever
    unschedulable,  ///< every node fails under the Pod error's sentence, which the Pod's events
                    ///< show
};

/// How much a request with names is told. kube-scheduler spends milliseconds on reading a reply for
/// 5,000 names: docs/decisions/0006-compact-replies.md says what leaving things out changes.
enum class names_reply : std::uint8_t {
    full,     ///< a reason for each node that fails, a score for each node
    compact,  ///< reasons only if no node passes; scores above the lowest one, less that
};

/// What nodes are judged by that a request only names.
struct named_nodes {
    enum class readiness : std::uint8_t { off, not_ready, ready };

    readiness state = readiness::off;
    std::optional<node_index> index;  ///< set if ready
    std::string why_not_ready;        ///< for people, one line
};

/// One extender request from the first byte of its body to the last of its reply: bytes in,
/// verdicts, bytes out, as separate calls, so that the caller times each stage.
///
/// Call order:
///     start(verb, known);
///     loop { n = receive into prepare(); commit(n); }   or   loop { write(bytes); }
///     finish();     judges the nodes; what the request is refused for, if anything
///     judge_again(known);    optional, if no named node fits and the index is another by now
///     compose();    on success only: reply() is the body of the answer
///     compose_error();    if filter fails with errc::node_cache_not_ready: the same
///
/// Memory: `prioritize` keeps a name and 32 bytes a node. `filter` also keeps the text of nodes
/// that pass, which is the reply already; others are dropped as soon as the verdict is known. Nodes
/// that come before the Pod are kept until it is known.
///
/// Not thread-safe. Reuse it for many requests: it keeps its memory, so that the next one neither
/// allocates nor faults in pages; destroy it to give the memory back.
class request_pipeline final : private args_sink {
  public:
    /// `rules` must outlive the pipeline.
    request_pipeline(policy const& rules, limits const& bounds, invalid_pod_answer invalid_pod,
                     names_reply named = names_reply::full);

    /// `known` is kept until the next start().
    void start(verb v, named_nodes known = {});

    /// As args_parser's; further errc::body_too_large, for a byte beyond limits::max_body_bytes.
    /// Behind an error nothing is read: whoever receives may stop, or go on and throw bytes away.
    [[nodiscard]] std::span<char> prepare() noexcept { return parser_.prepare(); }
    errc commit(std::size_t size);
    errc write(std::string_view bytes);
    errc write(body_segment& segment);

    /// Everything that is wrong with the request, in errc's order of precedence.
    [[nodiscard]] errc finish();

    /// Precondition: finish() returned errc::success.
    void compose();

    /// Whether finish() was successful and found no node that fits among some that were only named:
    /// what may change with the index.
    [[nodiscard]] bool none_named_fits() const noexcept;
    /// What nodes are judged by that are only named.
    [[nodiscard]] named_nodes const& known() const noexcept { return known_; }
    /// Judges them by a newer index. Preconditions: none_named_fits(), known.index is set.
    void judge_again(named_nodes known);

    /// The failure as an ExtenderFilterResult, whose Error kube-scheduler puts into its log.
    void compose_error();

    /// The reply's body; valid until start().
    [[nodiscard]] byte_chunks const& reply() const noexcept { return reply_; }

    /// Why the request is refused.
    [[nodiscard]] diagnostics const& failure() const noexcept { return failure_; }

    /// For metrics and logs. The counts are those of finish(); the Pod's names are unescaped text
    /// of the peer, empty where not known.
    [[nodiscard]] std::uint64_t body_bytes() const noexcept { return body_bytes_; }
    [[nodiscard]] std::uint64_t node_count() const noexcept { return node_count_; }
    [[nodiscard]] verdict_counts const& counts() const noexcept { return counts_; }
    [[nodiscard]] std::string const& pod_namespace() const noexcept { return pod_namespace_; }
    [[nodiscard]] std::string const& pod_name() const noexcept { return pod_name_; }

  private:
    struct node {
        std::uint64_t text_at;  // in reply_, where kept
        std::uint64_t text_size;
        std::uint32_t name_at;  // in names_
        std::uint32_t name_size;
        std::int32_t memory_mib;  // or unknown_node
    };
    /// A node that is only named and that the index does not hold.
    static constexpr std::int32_t unknown_node = -1;

    void on_pod(pod_facts const& pod, std::string_view namespace_name,
                std::string_view name) override;
    void on_node_part(std::string_view text) override;
    void on_node(std::string_view text, std::string_view name, std::int32_t memory_mib) override;
    void on_node_name(std::string_view name) override;
    void on_node_names_end() override;
    void on_candidate(std::string_view name, std::span<std::string const> uids,
                      std::int64_t violations) override;

    template <class Parse>
    errc receive(std::size_t size, Parse parse);
    [[nodiscard]] bool keeps_text() const noexcept;
    [[nodiscard]] node add(std::string_view name, std::int32_t memory_mib);
    void look_up_names();
    [[nodiscard]] std::int32_t note(std::optional<node_index::node> const& found,
                                    std::size_t position);
    void keep_or_drop(node& n);
    [[nodiscard]] std::string_view name_of(node const& n) const noexcept;
    [[nodiscard]] std::string_view reason_of(verdict v) const noexcept;
    [[nodiscard]] std::string place_of(std::uint32_t position) const;
    void count_verdicts();
    void compose_nodes();
    void compose_names();
    void compose_scores();
    [[nodiscard]] verdict judge(node const& n) const noexcept;
    errc check_names();
    errc check_pod();
    errc fail(errc code, std::string detail);
    void drop_refused();

    policy const& rules_;
    limits bounds_;
    invalid_pod_answer invalid_pod_;
    names_reply names_reply_;
    args_parser parser_;
    verb verb_ = verb::filter;

    std::uint64_t body_bytes_ = 0;
    std::uint64_t node_count_ = 0;
    std::optional<errc> pod_error_;  // empty until the Pod is known
    pod_requirement requirement_;
    std::string pod_namespace_;
    std::string pod_name_;
    bool nodes_before_pod_ = false;
    bool by_name_ = false;  // the nodes are those of NodeNames
    named_nodes known_;
    std::vector<bool> named_;                   // by the node's place in known_.index
    std::optional<std::uint32_t> named_twice_;  // the second of two

    std::vector<node> nodes_;
    std::string names_;
    byte_chunks reply_;
    std::uint64_t node_text_at_ = 0;  // where the text of the node being read starts in reply_
    struct name_order {
        std::size_t hash;
        std::uint32_t node;
    };
    std::vector<name_order> order_;

    verdict_counts counts_;
    diagnostics failure_;
};

}  // namespace nodesieve
