#include "progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>

namespace nodesieve::bench {

namespace {

constexpr std::size_t cells = 30;
constexpr std::string_view clear_line = "\r\x1b[K";

}  // namespace

progress_bar::progress_bar() : shown_(isatty(STDERR_FILENO) == 1) {}

progress_bar::~progress_bar() {
    if (shown_) std::cerr << clear_line << std::flush;
}

void progress_bar::draw(double done, std::string_view text) {
    if (!shown_) return;
    auto const full = static_cast<std::size_t>(std::clamp(done, 0.0, 1.0) * cells);
    std::string bar;
    for (std::size_t i = 0; i != cells; ++i) bar += i < full ? "█" : "░";
    std::cerr << clear_line << bar << ' ' << text << std::flush;
}

}  // namespace nodesieve::bench
