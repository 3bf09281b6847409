#pragma once

#include <nodesieve/api_status.hpp>
#include <nodesieve/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace nodesieve {

/// k8s.io/apimachinery/pkg/watch, EventType.
enum class watch_event_type : std::uint8_t { added, modified, deleted, bookmark, error };
inline constexpr std::size_t watch_event_type_count = 5;

/// The same in lower case, for metrics' labels and logs.
[[nodiscard]] std::string_view slug(watch_event_type) noexcept;

/// One event of a watch of nodes. The views are valid during the call that hands it out.
struct watch_event {
    watch_event_type type = watch_event_type::error;
    std::string_view name;        ///< of added, modified and deleted: unescaped, never empty
    std::int32_t memory_mib = 0;  ///< of the same: what the label states, 0 for none or invalid
    std::string_view resource_version;   ///< of all but error: never empty
    api_status const* status = nullptr;  ///< of error only
};

/// Takes the events of a watch in its order.
class watch_event_sink {
  public:
    virtual void on_event(watch_event const& event) = 0;

  protected:
    ~watch_event_sink() = default;
};

/// Reads the stream of a watch of nodes, whole or metadata only: one JSON object an event, each on
/// its line, handed out with its last byte. Keeps no more of one than node_list_parser of a node.
///
/// Call order:
///     start();
///     loop { write(bytes); }
/// and at the end of the stream between_events(). write() returns false at the first error, whose
/// text is failure(); bytes behind it are not looked at.
///
/// Not thread-safe; several parsers do not share anything.
class watch_event_parser {
  public:
    /// The most that one event may have.
    static constexpr std::size_t max_event_bytes = 8 * 1024 * 1024;

    /// `config` and `sink` must outlive the parser.
    watch_event_parser(policy_config const& config, watch_event_sink& sink);
    ~watch_event_parser();
    watch_event_parser(watch_event_parser const&) = delete;
    watch_event_parser& operator=(watch_event_parser const&) = delete;

    /// Forgets the last stream.
    void start();
    [[nodiscard]] bool write(std::string_view bytes);

    /// False where a stream that ends here ends within an event.
    [[nodiscard]] bool between_events() const noexcept;
    /// One line of what was seen and expected, without text of the stream; empty without an error.
    [[nodiscard]] std::string const& failure() const noexcept;

  private:
    class reader;
    std::unique_ptr<reader> reader_;  // keeps the parsers out of this header
};

}  // namespace nodesieve
