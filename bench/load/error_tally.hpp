#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace nodesieve::bench {

/// Why a request has no right answer.
struct request_error {
    /// "connect", "tls", "timeout", "closed early", "not HTTP", "status NNN", "wrong answer" or
    /// "not sent" (no connection was free until its time was over).
    std::string kind;
    std::string detail;  ///< one line for people
};

/// Errors by kind, with the first of each.
class error_tally {
  public:
    struct entry {
        std::uint64_t count = 0;
        std::string first_detail;
    };

    void add(request_error const& error) { add(error.kind, {1, error.detail}); }

    void merge(error_tally const& other) {
        for (auto const& [kind, more] : other.by_kind_) add(kind, more);
    }

    [[nodiscard]] std::uint64_t count() const {
        std::uint64_t sum = 0;
        for (auto const& [kind, each] : by_kind_) sum += each.count;
        return sum;
    }

    [[nodiscard]] std::map<std::string, entry> const& by_kind() const noexcept { return by_kind_; }

  private:
    void add(std::string const& kind, entry const& more) {
        entry& to = by_kind_[kind];
        if (to.count == 0) to.first_detail = more.first_detail;
        to.count += more.count;
    }

    std::map<std::string, entry> by_kind_;
};

}  // namespace nodesieve::bench
