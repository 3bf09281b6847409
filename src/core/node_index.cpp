#include <nodesieve/node_index.hpp>

#include <bit>
#include <cassert>
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
    struct slot {
        std::uint32_t hash;
        std::int32_t memory_mib;
        std::uint32_t name_at;    // in names
        std::uint32_t name_size;  // 0: free
    };

    shard() : shard(0, 0) {}
    /// Empty, with room.
    shard(std::size_t nodes, std::size_t name_bytes) : slots(std::bit_ceil(2 * nodes + 1)) {
        names.reserve(name_bytes);
    }

    [[nodiscard]] std::string_view name_of(slot const& s) const noexcept {
        return std::string_view(names).substr(s.name_at, s.name_size);
    }

    /// Where a name is, or the free slot where it would be put.
    [[nodiscard]] std::size_t find(std::string_view name, std::uint32_t hash) const noexcept {
        const auto mask = slots.size() - 1;
        auto i = hash & mask;
        while (slots[i].name_size != 0 && (slots[i].hash != hash || name_of(slots[i]) != name))
            i = (i + 1) & mask;
        return i;
    }

    [[nodiscard]] bool holds(std::size_t i) const noexcept { return slots[i].name_size != 0; }

    /// Precondition: there is room, the name is not empty and not there.
    void add(std::string_view name, std::uint32_t hash, std::int32_t memory_mib) {
        slots[find(name, hash)] = {hash, memory_mib, static_cast<std::uint32_t>(names.size()),
                                   static_cast<std::uint32_t>(name.size())};
        names.append(name);
        ++count;
    }

    /// Adds all nodes of `other` but the one in its slot `left_out`.
    void add_all(shard const& other, std::size_t left_out = SIZE_MAX) {
        for (std::size_t i = 0; i < other.slots.size(); ++i)
            if (other.holds(i) && i != left_out)
                add(other.name_of(other.slots[i]), other.slots[i].hash, other.slots[i].memory_mib);
    }

    /// A power of two, at most half of them taken.
    std::vector<slot> slots;
    std::string names;
    std::size_t count = 0;
};

struct node_index::root {
    std::array<std::shared_ptr<shard const>, shard_count> shards;
    std::array<std::uint32_t, shard_count> first_place{};
    std::size_t size = 0;
    std::size_t places = 0;
};

node_index::node_index() : node_index(node_index_builder().snapshot()) {}

std::size_t node_index::size() const noexcept { return root_->size; }
std::size_t node_index::places() const noexcept { return root_->places; }

std::optional<node_index::node> node_index::find(std::string_view name) const noexcept {
    return find(name, hash_of(name));
}

std::optional<node_index::node> node_index::find(std::string_view name,
                                                 std::uint64_t hash) const noexcept {
    const auto which = shard_of(hash);
    auto const& s = *root_->shards[which];
    const auto i = s.find(name, static_cast<std::uint32_t>(hash));
    if (!s.holds(i)) return std::nullopt;
    return node{s.name_of(s.slots[i]), s.slots[i].memory_mib,
                root_->first_place[which] + static_cast<std::uint32_t>(i)};
}

void node_index::find(std::span<std::string_view const> names,
                      std::span<std::optional<node>> found) const noexcept {
    assert(names.size() <= batch && names.size() == found.size());
    std::array<std::uint64_t, batch> hashes;
    std::array<shard::slot const*, batch> first_slots;  // right unless it is another name's
    for (std::size_t i = 0; i < names.size(); ++i) {
        hashes[i] = hash_of(names[i]);
        auto const& slots = root_->shards[shard_of(hashes[i])]->slots;
        first_slots[i] = &slots[static_cast<std::uint32_t>(hashes[i]) & (slots.size() - 1)];
        __builtin_prefetch(first_slots[i]);
    }
    for (std::size_t i = 0; i < names.size(); ++i)
        __builtin_prefetch(root_->shards[shard_of(hashes[i])]->names.data() +
                           first_slots[i]->name_at);
    for (std::size_t i = 0; i < names.size(); ++i) found[i] = find(names[i], hashes[i]);
}

node_index_builder::node_index_builder() {
    shards_.fill(std::make_shared<node_index::shard const>());
}

void node_index_builder::set(std::string_view name, std::int32_t memory_mib) {
    assert(!name.empty());
    const auto hash = hash_of(name);
    const auto low = static_cast<std::uint32_t>(hash);
    auto& current = shards_[shard_of(hash)];
    const auto i = current->find(name, low);
    if (current->holds(i)) {
        if (current->slots[i].memory_mib == memory_mib) return;
        auto changed = std::make_shared<node_index::shard>(*current);
        changed->slots[i].memory_mib = memory_mib;
        current = std::move(changed);
        return;
    }
    auto grown = std::make_shared<node_index::shard>(current->count + 1,
                                                     current->names.size() + name.size());
    grown->add_all(*current);
    grown->add(name, low, memory_mib);
    current = std::move(grown);
}

void node_index_builder::erase(std::string_view name) {
    const auto hash = hash_of(name);
    auto& current = shards_[shard_of(hash)];
    const auto i = current->find(name, static_cast<std::uint32_t>(hash));
    if (!current->holds(i)) return;
    auto smaller = std::make_shared<node_index::shard>(current->count - 1,
                                                       current->names.size() - name.size());
    smaller->add_all(*current, i);
    current = std::move(smaller);
}

node_index node_index_builder::snapshot() const {
    auto result = std::make_shared<node_index::root>();
    result->shards = shards_;
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        result->first_place[i] = static_cast<std::uint32_t>(result->places);
        result->size += shards_[i]->count;
        result->places += shards_[i]->slots.size();
    }
    return node_index(std::move(result));
}

}  // namespace nodesieve
