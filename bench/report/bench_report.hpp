#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "load/comparison.hpp"
#include "load/load_result.hpp"
#include "load/process_usage.hpp"
#include "machine_facts.hpp"

namespace nodesieve::bench {

/// What is told of one server.
struct server_report {
    std::string label;  ///< A, B, …
    std::string url;
    std::string protocol;  ///< such as "TLSv1.3 TLS_AES_128_GCM_SHA256"
    bool checked = true;
    load_result result;
    std::vector<std::chrono::nanoseconds> round_p50s;  ///< of a comparison
};

/// Everything that the outputs show, in plain data.
struct bench_report {
    machine_facts machine;
    std::vector<std::pair<std::string, std::string>> setting;  ///< name and value, for people
    std::uint64_t body_bytes = 0;
    std::optional<std::uint64_t> nodes;  ///< of the body; unknown when it is from a file
    std::vector<server_report> servers;  ///< A first
    std::vector<comparison_figure> figures;
    std::size_t rounds = 0;                                        ///< of a comparison; 0: none
    std::optional<std::pair<process_usage, process_usage>> usage;  ///< before and after
    std::vector<std::string> notes;                                ///< more warnings

    [[nodiscard]] bool compares() const noexcept { return rounds != 0; }
    /// Whether every answer came and was right, and every ratio could be formed.
    [[nodiscard]] bool all_right() const;
    /// What a reader must know to read the numbers rightly; each one line.
    [[nodiscard]] std::vector<std::string> warnings() const;
};

/// The percentiles that are shown.
struct percentile_column {
    char const* name;  ///< such as p99.9
    double percent;
};
inline constexpr percentile_column shown_percentiles[] = {
    {"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}};

/// Tables for people.
void write_text(std::ostream& out, bench_report const& report);

/// One JSON document, in seconds and bytes, with a line end.
void write_json(std::ostream& out, bench_report const& report);

/// One page that needs nothing else.
void write_html(std::ostream& out, bench_report const& report);

}  // namespace nodesieve::bench
