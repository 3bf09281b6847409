#include "json_difference.hpp"

#include <algorithm>
#include <boost/json.hpp>

namespace nodesieve::bench {

namespace json = boost::json;

namespace {

std::string shown(json::value const& value) {
    constexpr std::size_t longest = 80;
    std::string text = json::serialize(value);
    if (text.size() > longest) text.replace(longest, text.npos, "…");
    return text;
}

std::string in_objects(json::object const& expected, json::object const& seen,
                       std::string const& path) {
    std::string const prefix = path.empty() ? path : path + '.';
    for (auto const& [key, value] : expected) {
        std::string const member = prefix + std::string(key);
        auto const* other = seen.if_contains(key);
        if (!other) return member + ": expected " + shown(value) + ", saw no such member";
        if (auto found = first_difference(value, *other, member); !found.empty()) return found;
    }
    for (auto const& [key, value] : seen)
        if (!expected.contains(key))
            return prefix + std::string(key) + ": expected no such member, saw " + shown(value);
    return {};
}

std::string in_arrays(json::array const& expected, json::array const& seen,
                      std::string const& path) {
    for (std::size_t i = 0; i != std::min(expected.size(), seen.size()); ++i) {
        auto found = first_difference(expected[i], seen[i], path + '[' + std::to_string(i) + ']');
        if (!found.empty()) return found;
    }
    if (expected.size() == seen.size()) return {};
    return path + ": expected " + std::to_string(expected.size()) + " elements, saw " +
           std::to_string(seen.size());
}

}  // namespace

std::string first_difference(json::value const& expected, json::value const& seen,
                             std::string const& path) {
    if (expected.is_object() && seen.is_object())
        return in_objects(expected.get_object(), seen.get_object(), path);
    if (expected.is_array() && seen.is_array())
        return in_arrays(expected.get_array(), seen.get_array(), path);
    if (expected == seen) return {};
    return path + ": expected " + shown(expected) + ", saw " + shown(seen);
}

}  // namespace nodesieve::bench
