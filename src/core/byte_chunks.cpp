#include <nodesieve/byte_chunks.hpp>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace nodesieve {

void byte_chunks::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto chunk = static_cast<std::size_t>(size_ / chunk_bytes);
        const auto offset = static_cast<std::size_t>(size_ % chunk_bytes);
        if (chunk == chunks_.size())
            chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes));
        const auto count = std::min(bytes.size(), chunk_bytes - offset);
        std::memcpy(chunks_[chunk].get() + offset, bytes.data(), count);
        bytes.remove_prefix(count);
        size_ += count;
    }
}

void byte_chunks::truncate(std::uint64_t size) noexcept {
    assert(size <= size_);
    size_ = size;
}

void byte_chunks::move_down(std::uint64_t from, std::uint64_t to, std::uint64_t count) noexcept {
    assert(to <= from && from + count <= size_);
    while (count > 0) {
        const auto source = piece(from, count);
        char* const target = chunks_[static_cast<std::size_t>(to / chunk_bytes)].get();
        const auto offset = static_cast<std::size_t>(to % chunk_bytes);
        const auto moved = std::min(source.size(), chunk_bytes - offset);
        std::memmove(target + offset, source.data(), moved);
        from += moved;
        to += moved;
        count -= moved;
    }
}

std::string_view byte_chunks::piece(std::uint64_t offset, std::uint64_t count) const noexcept {
    assert(offset < size_);
    const auto within = static_cast<std::size_t>(offset % chunk_bytes);
    const auto available = std::min<std::uint64_t>(chunk_bytes - within, size_ - offset);
    return {chunks_[static_cast<std::size_t>(offset / chunk_bytes)].get() + within,
            static_cast<std::size_t>(std::min(count, available))};
}

}  // namespace nodesieve
