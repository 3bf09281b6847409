#include "reply_verdicts.hpp"

#include <boost/json.hpp>
#include <stdexcept>

namespace nodesieve::bench {

namespace json = boost::json;

namespace {

// Runs `check`, which throws, on the parsed reply; gives back what was thrown.
template <class Check>
std::string outcome_of(std::string_view reply, Check check) {
    try {
        json::monotonic_resource memory;
        check(json::parse(reply, &memory));
        return {};
    } catch (std::exception const& error) {
        return error.what();
    }
}

std::string quoted(json::value const& value) {
    constexpr std::size_t longest = 80;
    return '`' + json::serialize(value).substr(0, longest) + '`';
}

void require_equal(std::string const& where, json::value const& expected, json::value const& seen) {
    if (expected != seen)
        throw std::runtime_error(where + ": expected " + quoted(expected) + ", saw " +
                                 quoted(seen));
}

// No member, null, or nothing in it: Go writes all of them for "none".
void require_nothing(json::object const& reply, std::string_view key) {
    auto const* value = reply.if_contains(key);
    if (!value || value->is_null()) return;
    bool const empty = (value->is_object() && value->get_object().empty()) ||
                       (value->is_array() && value->get_array().empty()) ||
                       (value->is_string() && value->get_string().empty());
    if (!empty)
        throw std::runtime_error(std::string(key) + ": expected nothing, saw " + quoted(*value));
}

json::value name_in(json::value const& passed, bool names_only) {
    return names_only ? passed : passed.at("metadata").at("name");
}

void check_passed(generated_args const& args, json::array const& passed) {
    std::size_t at = 0;
    for (generated_node const& node : args.nodes) {
        if (node.verdict != expected_verdict::fits) continue;
        if (at == passed.size())
            throw std::runtime_error("node " + node.name + ": expected to pass, saw the end");
        require_equal("passing node " + std::to_string(at), json::value(node.name),
                      name_in(passed[at], args.names_only));
        ++at;
    }
    if (at != passed.size())
        throw std::runtime_error("behind the last passing node: expected the end, saw " +
                                 quoted(name_in(passed[at], args.names_only)));
}

void check_failed(generated_args const& args, json::object const& failed) {
    std::size_t expected = 0;
    for (generated_node const& node : args.nodes) {
        if (node.verdict == expected_verdict::fits) continue;
        ++expected;
        auto const* reason = failed.if_contains(node.name);
        require_equal("node " + node.name, json::value(reason_text(node.verdict)),
                      reason ? *reason : json::value());
    }
    require_equal("number of failed nodes", expected, failed.size());
}

}  // namespace

std::string check_filter_verdicts(generated_args const& args, std::string_view reply) {
    return outcome_of(reply, [&](json::value const& answer) {
        json::object const& object = answer.as_object();
        for (char const* key : {"FailedNodes", "Error", args.names_only ? "Nodes" : "NodeNames"})
            require_nothing(object, key);
        json::value const& passed =
            args.names_only ? answer.at("NodeNames") : answer.at("Nodes").at("items");
        check_passed(args, passed.is_null() ? json::array() : passed.as_array());
        check_failed(args, answer.at("FailedAndUnresolvableNodes").as_object());
    });
}

std::string check_prioritize_verdicts(generated_args const& args, std::string_view reply) {
    return outcome_of(reply, [&](json::value const& answer) {
        json::array const& scores = answer.as_array();
        require_equal("number of scores", args.nodes.size(), scores.size());
        for (std::size_t i = 0; i != scores.size(); ++i) {
            generated_node const& node = args.nodes[i];
            require_equal("score " + std::to_string(i), json::value(node.name),
                          scores[i].at("Host"));
            require_equal("node " + node.name, node.score, scores[i].at("Score"));
        }
    });
}

}  // namespace nodesieve::bench
