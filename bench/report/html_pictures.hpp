#pragma once

#include <iosfwd>

#include "bench_report.hpp"

namespace nodesieve::bench {

// The report page's sections with a picture, each with a table beside it that has the same numbers.

/// Latency by percentile, on a scale of nines, of each server.
void write_latency_section(std::ostream& out, bench_report const& report);

/// Latency and throughput over time.
void write_time_line_sections(std::ostream& out, load_result const& result);

/// Median latencies of a comparison, round by round.
void write_rounds_section(std::ostream& out, bench_report const& report);

}  // namespace nodesieve::bench
