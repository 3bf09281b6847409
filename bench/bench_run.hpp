#pragma once

#include "bench_options.hpp"
#include "report/bench_report.hpp"

namespace nodesieve::bench {

/// The servers did not give right answers before anything was measured.
class load_failure : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Does what the options ask for, with a progress bar. Throws load_failure, one line, when the
/// warm-up fails, and std::exception, one line, when a file, an address or a process is wrong.
[[nodiscard]] bench_report run_bench(bench_options const& options);

}  // namespace nodesieve::bench
