#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace nodesieve::bench {

/// What a server's answers to one body must be. The first is judged completely; one that is equal
/// to an answer that was found right is right too, which is checked while it comes in, at the speed
/// of memcmp. An answer that differs is judged completely again: it may be right in other words.
///
/// Any number of threads may use it.
class known_answer {
  public:
    /// Empty when the body of an answer is right, otherwise one line that says what is not.
    using complete_check = std::function<std::string(std::string_view)>;

    /// Answers are judged by `check`, which may be called on any thread, one call at a time.
    explicit known_answer(complete_check check) : check_(std::move(check)) {}
    /// Nobody knows what is right: all answers must equal the first.
    known_answer();

    known_answer(known_answer const&) = delete;
    known_answer& operator=(known_answer const&) = delete;

    /// An answer that was found right; null before there is one. Never changes or goes afterwards.
    [[nodiscard]] std::string const* right_one() const noexcept {
        return known_.load(std::memory_order_acquire);
    }

    /// Judges a body; the first right one becomes the known one.
    [[nodiscard]] std::string judge(std::string body);

  private:
    std::mutex mutex_;
    complete_check check_;
    std::optional<std::string> first_right_;
    std::atomic<std::string const*> known_ = nullptr;
};

/// Judges one answer after the other, each given in pieces as they come in:
///
///     start, put …, finish
///
/// Holds bytes only of an answer that has to be judged completely. For one connection.
class answer_reader {
  public:
    /// `known` must outlive the reader.
    explicit answer_reader(known_answer& known) : known_(known) {}

    void start();
    void put(std::string_view piece);
    /// Empty when the answer was right, otherwise one line.
    [[nodiscard]] std::string finish();

    /// Bytes of the current answer so far.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

  private:
    void differ();

    known_answer& known_;
    std::string const* right_ = nullptr;  // what the current answer has been equal to; or null …
    std::string collected_;               // … and its bytes
    std::size_t size_ = 0;
};

}  // namespace nodesieve::bench
