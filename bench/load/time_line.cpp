#include "time_line.hpp"

#include <algorithm>
#include <utility>

namespace nodesieve::bench {

void time_line::slot::merge(slot const& other) {
    latency.merge(other.latency);
    errors += other.errors;
}

void time_line::merge(time_line other) {
    while (width_ < other.width_) widen();
    while (other.width_ < width_) other.widen();
    if (slots_.size() < other.slots_.size()) slots_.resize(other.slots_.size());
    for (std::size_t i = 0; i != other.slots_.size(); ++i) slots_[i].merge(other.slots_[i]);
}

time_line::slot& time_line::slot_at(duration when) {
    when = std::max(when, duration{});
    while (when / width_ >= static_cast<std::int64_t>(most_slots)) widen();
    auto const index = static_cast<std::size_t>(when / width_);
    if (index >= slots_.size()) slots_.resize(index + 1);
    return slots_[index];
}

void time_line::widen() {
    width_ *= 2;
    for (std::size_t i = 0; i != slots_.size(); ++i) {
        if (i % 2 == 1)
            slots_[i / 2].merge(slots_[i]);
        else if (i != 0)
            slots_[i / 2] = std::move(slots_[i]);
    }
    slots_.resize((slots_.size() + 1) / 2);
}

}  // namespace nodesieve::bench
