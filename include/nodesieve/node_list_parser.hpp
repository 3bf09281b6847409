#pragma once

#include <nodesieve/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace nodesieve {

/// Takes the nodes of a list in its order.
class node_list_sink {
  public:
    /// A node's unescaped name, never empty, valid during the call, and the memory that its label
    /// states, 0 for none or an invalid one.
    virtual void on_node(std::string_view name, std::int32_t memory_mib) = 0;

  protected:
    ~node_list_sink() = default;
};

/// Reads a page of nodes as the API server lists them, a NodeList or a PartialObjectMetadataList,
/// while it arrives, and hands out each node as soon as it is complete. Keeps of it one node's
/// name, two short texts and no more than json_block_bytes of unescaped text, whatever comes.
///
/// Call order:
///     start();
///     loop { write(bytes); }
///     finish();
///     resource_version(), continue_token();
/// write() and finish() return false at the first error, whose text is failure(); bytes behind it
/// are not looked at. Nodes may have been handed out before it.
///
/// Not thread-safe; several parsers do not share anything.
class node_list_parser {
  public:
    /// The most that may stand between the ends of two nodes: many times the 1.5 MiB that etcd
    /// lets an object have.
    static constexpr std::size_t max_node_bytes = 8 * 1024 * 1024;

    /// `config` and `sink` must outlive the parser.
    node_list_parser(policy_config const& config, node_list_sink& sink);
    ~node_list_parser();
    node_list_parser(node_list_parser const&) = delete;
    node_list_parser& operator=(node_list_parser const&) = delete;

    /// Forgets the last page.
    void start();
    [[nodiscard]] bool write(std::string_view bytes);
    /// The page is complete.
    [[nodiscard]] bool finish();

    /// How many nodes were handed out.
    [[nodiscard]] std::size_t nodes() const noexcept;
    /// Where a watch goes on behind the list: never empty once finish() was true. Valid until
    /// start().
    [[nodiscard]] std::string_view resource_version() const noexcept;
    /// What asks for the next page; empty on the last one. Valid until start().
    [[nodiscard]] std::string_view continue_token() const noexcept;
    /// One line of what was seen and expected, without text of the page; empty without an error.
    [[nodiscard]] std::string const& failure() const noexcept;

  private:
    class reader;
    std::unique_ptr<reader> reader_;  // keeps the parsers out of this header
};

}  // namespace nodesieve
