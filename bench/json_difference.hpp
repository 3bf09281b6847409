#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace nodesieve::bench {

/// Where two JSON values first differ in meaning: the order of an object's members is free, that of
/// an array's elements is not. Empty when they do not differ; otherwise one line with the path,
/// what was expected and what was seen. `path` stands before the first member.
[[nodiscard]] std::string first_difference(boost::json::value const& expected,
                                           boost::json::value const& seen,
                                           std::string const& path = {});

}  // namespace nodesieve::bench
