#pragma once

#include <nodesieve/policy.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace nodesieve {

class args_parser;

/// A stretch of an ExtenderArgs body that can be parsed ahead of its turn, on another thread than
/// the stretches before it. The start of a Node is guessed by its text; args_parser takes the
/// result over only if parsing in order arrives at that very place expecting a Node, and otherwise
/// parses the stretch itself. So the answer never depends on the guess.
///
///     | ...rest of a node},{"metadata":... node ...},{... node ...},{ first part of a nod|
///      parsed in turn       ^guess: parsed ahead, up to the end, the last node suspended
///
/// Call order:
///     loop { n = receive into prepare(); commit(n); }   until full() or the body ends
///     parse_ahead();                  optional, on any thread
///     args_parser::write(segment);    in the order of the body; empties it
///
/// Every segment of a body but the last must be full. One thread at a time; the calls need a
/// happens-before order among each other, which is the caller's to make.
class body_segment {
  public:
    /// A multiple of args_parser's block. Measured: docs/decisions/0003-parsing-ahead.md.
    static constexpr std::size_t capacity = 128 * 1024;

    /// `config` must outlive the segment.
    explicit body_segment(policy_config const& config);
    ~body_segment();
    body_segment(body_segment const&) = delete;
    body_segment& operator=(body_segment const&) = delete;

    [[nodiscard]] std::span<char> prepare() noexcept;
    void commit(std::size_t size) noexcept;
    [[nodiscard]] bool full() const noexcept;
    [[nodiscard]] std::string_view text() const noexcept;

    void parse_ahead();

    /// Forgets bytes and result. Memory is kept.
    void clear() noexcept;

  private:
    friend class args_parser;
    struct ahead;

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0;
    std::unique_ptr<ahead> ahead_;  // keeps the parser out of this header
};

}  // namespace nodesieve
