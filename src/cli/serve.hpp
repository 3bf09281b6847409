#pragma once

#include "options.hpp"

namespace nodesieve::cli {

/// Runs the extender until SIGTERM or SIGINT and returns the exit status. Throws
/// std::runtime_error, one line, when it cannot start.
int serve(server::options const& settings);

}  // namespace nodesieve::cli
