#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace nodesieve {

/// The nodes of a cluster by name, with what the policy reads of them: a state that never changes.
/// A copy shares it, and it lives as long as any copy does, so requests on any number of threads
/// read theirs while node_index_builder makes the next one.
///
///     root -> 256 shards by hash -> slots by hash -> names
///
/// Neighbouring states share the shards in which they do not differ. A node costs its name and 32
/// to 64 bytes.
class node_index {
  public:
    struct node {
        std::string_view name;        ///< valid as long as a copy of the index
        std::int32_t memory_mib = 0;  ///< what the memory label states; 0: none, or no valid one
        std::uint32_t place = 0;      ///< a number that no other node of this state has
    };

    /// No nodes.
    node_index();

    [[nodiscard]] std::size_t size() const noexcept;
    /// Whether `other` is a copy of this very state.
    [[nodiscard]] bool is(node_index const& other) const noexcept { return root_ == other.root_; }
    /// Every node's place is below it.
    [[nodiscard]] std::size_t places() const noexcept;
    [[nodiscard]] std::optional<node> find(std::string_view name) const noexcept;

    /// How many names the next function takes.
    static constexpr std::size_t batch = 16;
    /// Looks up to `batch` names up at once, so that their cache misses overlap. Writes found[i]
    /// for names[i]. Precondition: as many of the one as of the other.
    void find(std::span<std::string_view const> names,
              std::span<std::optional<node>> found) const noexcept;

  private:
    friend class node_index_builder;
    struct shard;
    struct root;
    static constexpr std::size_t shard_count = 256;

    [[nodiscard]] std::optional<node> find(std::string_view name,
                                           std::uint64_t hash) const noexcept;
    explicit node_index(std::shared_ptr<root const> r) noexcept : root_(std::move(r)) {}

    std::shared_ptr<root const> root_;
};

/// Makes states of a node_index, one out of the other. Each change copies one shard, a 256th of the
/// nodes. Not thread-safe; the states are.
class node_index_builder {
  public:
    node_index_builder();

    /// Puts a node in, or replaces it. Precondition: it has a name. `memory_mib` is in
    /// 0..max_memory_mib; 0: no valid label.
    void set(std::string_view name, std::int32_t memory_mib);
    /// Takes a node out, if it is there.
    void erase(std::string_view name);

    /// The state so far.
    [[nodiscard]] node_index snapshot() const;

  private:
    std::array<std::shared_ptr<node_index::shard const>, node_index::shard_count> shards_;
};

}  // namespace nodesieve
