#include "known_answer.hpp"

#include <algorithm>
#include <utility>

namespace nodesieve::bench {

namespace {

std::string difference(std::string_view first, std::string_view body) {
    if (first == body) return {};
    auto const [at, unused] = std::mismatch(first.begin(), first.end(), body.begin(), body.end());
    return "differs from the first answer at byte " + std::to_string(at - first.begin()) + " (" +
           std::to_string(body.size()) + " bytes, the first had " + std::to_string(first.size()) +
           ")";
}

}  // namespace

known_answer::known_answer()
    : check_([this](std::string_view body) {
          return first_right_ ? difference(*first_right_, body) : std::string();
      }) {}

std::string known_answer::judge(std::string body) {
    std::scoped_lock const lock(mutex_);
    std::string complaint = check_(body);
    if (complaint.empty() && !first_right_) {
        first_right_ = std::move(body);
        known_.store(&*first_right_, std::memory_order_release);
    }
    return complaint;
}

void answer_reader::start() {
    right_ = known_.right_one();
    collected_.clear();
    size_ = 0;
}

void answer_reader::put(std::string_view piece) {
    bool const same = right_ && right_->compare(size_, piece.size(), piece) == 0;
    if (right_ && !same) differ();
    if (!right_) collected_ += piece;
    size_ += piece.size();
}

std::string answer_reader::finish() {
    if (right_ && size_ == right_->size()) return {};
    if (right_) differ();
    return known_.judge(std::exchange(collected_, {}));
}

// From here on the bytes are kept; those so far are those of the answer that they were equal to.
void answer_reader::differ() {
    collected_.assign(*right_, 0, size_);
    right_ = nullptr;
}

}  // namespace nodesieve::bench
