#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace nodesieve {

/// A long sequence of bytes in chunks of one size: grows without moving what it holds, and hands
/// out large contiguous pieces for writing. Positions are offsets, which growing leaves valid.
///
///     | chunk 0 .......... | chunk 1 .......... | chunk 2 ....      |
///     0                    chunk_bytes                       size()   capacity
///
/// Owns its memory. Views that it hands out are valid until the next call that is not const.
class byte_chunks {
  public:
    /// Large enough to be mapped on its own by glibc, so that freeing it gives it back to the
    /// system.
    static constexpr std::size_t chunk_bytes = 1024 * 1024;

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    void append(std::string_view bytes);
    void append(char c) { append(std::string_view(&c, 1)); }
    /// Several at once: one look for room, and literals are copied inline.
    template <class... Parts>
    requires(sizeof...(Parts) > 1) void append(Parts const&... parts) {
        const std::size_t total = (std::string_view(parts).size() + ...);
        const auto chunk = static_cast<std::size_t>(size_ / chunk_bytes);
        const auto offset = static_cast<std::size_t>(size_ % chunk_bytes);
        if (chunk == chunks_.size() || total > chunk_bytes - offset)
            return (append(std::string_view(parts)), ...);
        char* to = chunks_[chunk].get() + offset;
        ((to += std::string_view(parts).copy(to, std::string_view::npos)), ...);
        size_ += total;
    }

    /// Cuts off all bytes from `size` on. Precondition: size <= size(). Keeps the memory.
    void truncate(std::uint64_t size) noexcept;

    /// Moves the `count` bytes at `from` down to `to`. Precondition: to <= from, from + count <=
    /// size().
    void move_down(std::uint64_t from, std::uint64_t to, std::uint64_t count) noexcept;

    /// Empties it. Keeps the memory.
    void clear() noexcept { size_ = 0; }

    /// The contiguous piece that starts at `offset` and is at most `count` bytes long: call it
    /// again behind that piece for more. Precondition: offset < size().
    [[nodiscard]] std::string_view piece(std::uint64_t offset,
                                         std::uint64_t count = UINT64_MAX) const noexcept;

  private:
    std::vector<std::unique_ptr<char[]>> chunks_;
    std::uint64_t size_ = 0;
};

}  // namespace nodesieve
