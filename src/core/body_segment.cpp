#include <nodesieve/body_segment.hpp>

#include "parsed_ahead.hpp"

#include <cassert>

namespace nodesieve {
namespace {

/// How every Node starts behind another one when Go writes it.
constexpr std::string_view node_start = R"(},{"metadata":)";

}  // namespace

body_segment::body_segment(policy_config const& config)
    : bytes_(std::make_unique_for_overwrite<char[]>(capacity)),
      ahead_(std::make_unique<ahead>(config.node_memory_labels)) {}

body_segment::~body_segment() = default;

std::span<char> body_segment::prepare() noexcept {
    return {bytes_.get() + size_, capacity - size_};
}

void body_segment::commit(std::size_t size) noexcept {
    assert(size <= capacity - size_);
    size_ += size;
}

bool body_segment::full() const noexcept { return size_ == capacity; }

std::string_view body_segment::text() const noexcept { return {bytes_.get(), size_}; }

void body_segment::parse_ahead() { ahead_->parse(text()); }

void body_segment::clear() noexcept {
    size_ = 0;
    ahead_->clear();
}

void body_segment::ahead::parse(std::string_view text) {
    const auto found = text.find(node_start);
    if (found == std::string_view::npos) return;
    auto at = found + 2;  // behind the comma
    guess = end = at;
    while (at < text.size() && text[at] == '{') {
        document->start();
        boost::json::error_code ec;
        const auto start = at;
        at += document->write(text.substr(at), ec);
        if (ec) return;  // the parser that comes in turn will tell
        if (!document->done()) {
            suspended = start;
            return;
        }
        end = at;
        auto const& read = document->handler();
        nodes.push_back({start, document_end(text, at) - start, names.size(), read.name().size(),
                         read.memory_mib()});
        names.append(read.name());
        if (at == text.size() || text[at] != ',') return;
        ++at;
        while (at < text.size() && is_json_space(text[at])) ++at;
    }
}

void body_segment::ahead::clear() noexcept {
    guess.reset();
    nodes.clear();
    names.clear();
    end = 0;
    suspended.reset();
}

}  // namespace nodesieve
