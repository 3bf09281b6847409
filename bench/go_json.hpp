#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>

namespace nodesieve::bench {

/// The text that Go's json.Marshal gives: compact, with <, >, & and the line separators U+2028 and
/// U+2029 escaped, other characters as they are. Members keep their order. Not for fractions, which
/// Kubernetes objects do not have and Boost.JSON writes in another way.
[[nodiscard]] std::string go_json(boost::json::value const& value);

/// The members of a `metadata` as Go declares them, which is their order on the wire: a reader
/// meets the name before the labels, and the labels before the annotations. Members unknown here
/// come last.
[[nodiscard]] boost::json::object in_metadata_order(boost::json::object from);

/// The members sorted by key, as Go writes its maps (labels, annotations).
[[nodiscard]] boost::json::object in_key_order(boost::json::object const& from);

}  // namespace nodesieve::bench
