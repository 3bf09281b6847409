#pragma once

#include <string_view>

namespace nodesieve::bench {

/// A bar on standard error when that is a terminal; nothing otherwise, such as in a pipe.
class progress_bar {
  public:
    progress_bar();
    /// Takes the bar away.
    ~progress_bar();
    progress_bar(progress_bar const&) = delete;
    progress_bar& operator=(progress_bar const&) = delete;

    [[nodiscard]] bool shown() const noexcept { return shown_; }

    /// `done` is from 0 to 1; `text` tells what is being done.
    void draw(double done, std::string_view text);

  private:
    bool shown_;
};

}  // namespace nodesieve::bench
