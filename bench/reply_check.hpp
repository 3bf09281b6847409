#pragma once

#include <string>
#include <string_view>

#include "generator.hpp"

namespace nodesieve::bench {

/// Whether `reply` is the right answer of /filter to this body: exactly
///
///     {"Nodes":{"metadata":{},"items":[…]},"NodeNames":null,"FailedNodes":null,
///      "FailedAndUnresolvableNodes":{"name":"reason",…},"Error":""}
///
/// without spaces, where items are the nodes that fit, in order and byte for byte as sent, and the
/// map holds each other node once, in any order, with its reason. For a body of names only it is
/// {"Nodes":null,"NodeNames":["name",…],"FailedNodes":null, and so on as above.
///
/// Empty when right; otherwise one line that tells the first difference: the node, what was
/// expected and what was seen. Linear in the two texts.
[[nodiscard]] std::string check_filter_reply(generated_args const& args, std::string_view reply);

/// The same for /prioritize: [{"Host":"name","Score":n},…] with each node of the body once, in
/// order.
[[nodiscard]] std::string check_prioritize_reply(generated_args const& args,
                                                 std::string_view reply);

}  // namespace nodesieve::bench
