#include "go_json.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace nodesieve::bench {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 15> metadata_order = {
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
};

}  // namespace

json::object in_metadata_order(json::object from) {
    json::object ordered;
    for (std::string_view key : metadata_order)
        if (auto const found = from.find(key); found != from.end()) {
            ordered.emplace(key, std::move(found->value()));
            from.stable_erase(found);
        }
    for (auto& [key, value] : from) ordered.emplace(key, std::move(value));
    return ordered;
}

json::object in_key_order(json::object const& from) {
    std::vector<std::string_view> keys;
    for (auto const& [key, value] : from) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    json::object ordered;
    for (std::string_view key : keys) ordered.emplace(key, from.at(key));
    return ordered;
}

std::string go_json(json::value const& value) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> escapes = {{
        {"<", "\\u003c"},
        {">", "\\u003e"},
        {"&", "\\u0026"},
        {"\xE2\x80\xA8", "\\u2028"},
        {"\xE2\x80\xA9", "\\u2029"},
    }};
    // These only occur inside strings, so they can be replaced in the finished text.
    std::string const text = json::serialize(value);
    std::string escaped;
    escaped.reserve(text.size());
    for (std::string_view rest = text; !rest.empty();) {
        auto const escape = std::find_if(escapes.begin(), escapes.end(),
                                         [&](auto const& e) { return rest.starts_with(e.first); });
        if (escape == escapes.end()) {
            escaped += rest.front();
            rest.remove_prefix(1);
        } else {
            escaped += escape->second;
            rest.remove_prefix(escape->first.size());
        }
    }
    return escaped;
}

}  // namespace nodesieve::bench
