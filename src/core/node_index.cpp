#include <nodesieve/node_index.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <vector>

namespace nodesieve {
namespace {

std::uint64_t hash_of(std::string_view name) noexcept {
    return std::hash<std::string_view>{}(name);
}

/// Different bits of the hash choose the shard, choose the slot, and are compared.
std::size_t shard_of(std::uint64_t hash) noexcept { return hash >> 56U; }

}  // namespace

/// Some of the nodes, in a hash table with open addressing.
struct node_index::shard {
    struct entry {
        std::uint32_t hash;
        std::int32_t memory_mib;
        std::uint32_t name_at;  // in names
        std::uint32_t name_size;
    };

    [[nodiscard]] std::string_view name_of(entry const& e) const noexcept {
        return std::string_view(names).substr(e.name_at, e.name_size);
    }

    /// The place of a name in entries; entries.size() for one that is not there.
    [[nodiscard]] std::size_t find(std::string_view name, std::uint64_t hash) const noexcept {
        const auto mask = slots.size() - 1;
        for (auto slot = hash & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
            auto const& e = entries[slots[slot] - 1];
            if (e.hash == static_cast<std::uint32_t>(hash) && name_of(e) == name)
                return slots[slot] - 1;
        }
        return entries.size();
    }

    void reserve(std::size_t count, std::size_t name_bytes) {
        entries.reserve(count);
        names.reserve(name_bytes);
        slots.assign(std::bit_ceil(2 * count + 1), 0);
    }

    /// Precondition: there is room by reserve(), and no entry of that name.
    void add(std::string_view name, std::uint32_t hash, std::int32_t memory_mib) {
        entries.push_back({hash, memory_mib, static_cast<std::uint32_t>(names.size()),
                           static_cast<std::uint32_t>(name.size())});
        names.append(name);
        const auto mask = slots.size() - 1;
        std::size_t slot = hash & mask;
        while (slots[slot] != 0) slot = (slot + 1) & mask;
        slots[slot] = static_cast<std::uint32_t>(entries.size());
    }

    std::vector<entry> entries;
    std::string names;
    /// A power of two, at most half full: 0 or the place of an entry + 1.
    std::vector<std::uint32_t> slots = {0};
};

struct node_index::root {
    std::array<std::shared_ptr<shard const>, shard_count> shards;
    std::array<std::uint32_t, shard_count> first_place{};
    std::size_t size = 0;
};

node_index::node_index() : node_index(node_index_builder().snapshot()) {}

std::size_t node_index::size() const noexcept { return root_->size; }

std::optional<node_index::node> node_index::find(std::string_view name) const noexcept {
    const auto hash = hash_of(name);
    const auto which = shard_of(hash);
    auto const& s = *root_->shards[which];
    const auto place = s.find(name, hash);
    if (place == s.entries.size()) return std::nullopt;
    auto const& e = s.entries[place];
    return node{s.name_of(e), e.memory_mib,
                root_->first_place[which] + static_cast<std::uint32_t>(place)};
}

node_index_builder::node_index_builder() {
    shards_.fill(std::make_shared<node_index::shard const>());
}

void node_index_builder::set(std::string_view name, std::int32_t memory_mib) {
    const auto hash = hash_of(name);
    auto& current = shards_[shard_of(hash)];
    const auto place = current->find(name, hash);
    if (place < current->entries.size()) {
        if (current->entries[place].memory_mib == memory_mib) return;
        auto changed = std::make_shared<node_index::shard>(*current);
        changed->entries[place].memory_mib = memory_mib;
        current = std::move(changed);
        return;
    }
    auto grown = std::make_shared<node_index::shard>();
    grown->reserve(current->entries.size() + 1, current->names.size() + name.size());
    for (auto const& e : current->entries) grown->add(current->name_of(e), e.hash, e.memory_mib);
    grown->add(name, static_cast<std::uint32_t>(hash), memory_mib);
    current = std::move(grown);
}

void node_index_builder::erase(std::string_view name) {
    const auto hash = hash_of(name);
    auto& current = shards_[shard_of(hash)];
    const auto place = current->find(name, hash);
    if (place == current->entries.size()) return;
    auto smaller = std::make_shared<node_index::shard>();
    smaller->reserve(current->entries.size() - 1, current->names.size() - name.size());
    for (auto const& e : current->entries)
        if (&e != &current->entries[place]) smaller->add(current->name_of(e), e.hash, e.memory_mib);
    current = std::move(smaller);
}

node_index node_index_builder::snapshot() const {
    auto result = std::make_shared<node_index::root>();
    result->shards = shards_;
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        result->first_place[i] = static_cast<std::uint32_t>(result->size);
        result->size += shards_[i]->entries.size();
    }
    return node_index(std::move(result));
}

}  // namespace nodesieve
