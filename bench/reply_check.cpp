#include "reply_check.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace nodesieve::bench {

namespace {

// Moves `rest` past `expected` if it comes next.
bool skip(std::string_view& rest, std::string_view expected) {
    if (!rest.starts_with(expected)) return false;
    rest.remove_prefix(expected.size());
    return true;
}

// A JSON string without escapes (names and reasons have none), without its quotes.
std::optional<std::string_view> take_string(std::string_view& rest) {
    if (!rest.starts_with('"')) return std::nullopt;
    auto const end = rest.find_first_of("\"\\", 1);
    if (end == rest.npos || rest[end] != '"') return std::nullopt;
    std::string_view const taken = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return taken;
}

// A piece of `text` from `position` on, fit for one line of a terminal.
std::string excerpt(std::string_view text, std::size_t position) {
    constexpr std::size_t longest = 80;
    if (position >= text.size()) return "the end";
    std::string piece(text.substr(position, longest));
    std::replace_if(
        piece.begin(), piece.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '.');
    return '`' + piece + '`';
}

// What to say when `expected` should come next and `rest` comes instead. Shows some text before the
// first byte that differs, so that the place can be told.
std::string difference(std::string_view where, std::string_view expected, std::string_view rest) {
    constexpr std::size_t lead = 30;
    auto const [at, unused] =
        std::mismatch(expected.begin(), expected.end(), rest.begin(), rest.end());
    auto const same = static_cast<std::size_t>(at - expected.begin());
    std::size_t const from = same - std::min(same, lead);
    std::string text(where);
    if (same != 0) text += " at byte " + std::to_string(same);
    return text + ": expected " + excerpt(expected, from) + ", saw " + excerpt(rest, from);
}

std::string of_node(generated_node const& node) { return "node " + node.name; }

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

// The failed map and what follows it, to the end of the reply.
std::string check_failed(generated_args const& args, std::string_view rest) {
    std::unordered_map<std::string_view, expected_verdict> awaited;
    for (generated_node const& node : args.nodes)
        if (node.verdict != expected_verdict::fits) awaited.emplace(node.name, node.verdict);

    for (bool first = true; !rest.starts_with('}'); first = false) {
        std::string_view const entry = rest;
        if (!first && !skip(rest, ",")) return difference("failed nodes", ",", entry);
        auto const name = take_string(rest);
        bool const colon = skip(rest, ":");
        auto const reason = take_string(rest);
        if (!name || !colon || !reason)
            return difference("failed nodes", R"("name":"reason")", entry);
        auto const found = awaited.find(*name);
        if (found == awaited.end())
            return "node " + excerpt(*name, 0) +
                   ": expected not among the failed, or only once, saw " + excerpt(*reason, 0);
        if (*reason != reason_text(found->second))
            return "node " + std::string(*name) + ": expected the reason " +
                   quoted(reason_text(found->second)) + ", saw " + excerpt(*reason, 0);
        awaited.erase(found);
    }
    for (generated_node const& node : args.nodes)
        if (awaited.contains(node.name))
            return of_node(node) + ": expected among the failed, saw it nowhere there";
    std::string_view const tail = R"(},"Error":""})";
    return rest == tail ? std::string() : difference("after the failed nodes", tail, rest);
}

}  // namespace

std::string check_filter_reply(generated_args const& args, std::string_view reply) {
    std::string_view const opening =
        args.names_only ? R"({"Nodes":null,"NodeNames":[)" : R"({"Nodes":{"metadata":{},"items":[)";
    std::string_view const middle =
        args.names_only
            ? R"(],"FailedNodes":null,"FailedAndUnresolvableNodes":{)"
            : R"(]},"NodeNames":null,"FailedNodes":null,"FailedAndUnresolvableNodes":{)";

    std::string_view rest = reply;
    if (!skip(rest, opening)) return difference("start of the reply", opening, rest);
    bool first = true;
    for (generated_node const& node : args.nodes) {
        if (node.verdict != expected_verdict::fits) continue;
        std::string_view const json = args.json_of(node);
        if ((!first && !skip(rest, ",")) || !skip(rest, json))
            return difference(of_node(node), json, rest);
        first = false;
    }
    if (!skip(rest, middle)) return difference("after the last passing node", middle, rest);
    return check_failed(args, rest);
}

std::string check_prioritize_reply(generated_args const& args, std::string_view reply) {
    std::string_view rest = reply;
    if (!skip(rest, "[")) return difference("start of the reply", "[", rest);
    bool first = true;
    for (generated_node const& node : args.nodes) {
        std::string const expected =
            R"({"Host":")" + node.name + R"(","Score":)" + std::to_string(node.score) + "}";
        if ((!first && !skip(rest, ",")) || !skip(rest, expected))
            return difference(of_node(node), expected, rest);
        first = false;
    }
    return rest == "]" ? std::string() : difference("after the last node", "]", rest);
}

}  // namespace nodesieve::bench
