#pragma once

#include <string>
#include <string_view>

#include "generator.hpp"

namespace nodesieve::bench {

/// Whether the verdicts in a reply of /filter are right, in whatever words: the nodes that fit by
/// name, in order, and each other node once with its reason. For an implementation that writes
/// nodes anew (Go's encoding/json drops what it does not know) and so does not pass
/// check_filter_reply.
///
/// Empty when right; otherwise one line that tells the first difference. Linear, and holds the
/// parsed reply meanwhile.
[[nodiscard]] std::string check_filter_verdicts(generated_args const& args, std::string_view reply);

/// The same for /prioritize: each node of the body once, in order, with its score.
[[nodiscard]] std::string check_prioritize_verdicts(generated_args const& args,
                                                    std::string_view reply);

}  // namespace nodesieve::bench
