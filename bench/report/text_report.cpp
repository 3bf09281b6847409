#include <ostream>

#include "bench_report.hpp"
#include "quantity_text.hpp"
#include "text_table.hpp"

namespace nodesieve::bench {

namespace {

using column = text_table::column;
constexpr auto right = text_table::side::right;

std::string reply_text(load_result const& result) {
    std::string text = count_text(result.smallest_reply);
    if (result.largest_reply != result.smallest_reply)
        text += " to " + count_text(result.largest_reply);
    return text + " B";
}

text_table latencies(bench_report const& report) {
    std::vector<column> columns{{""}, {"right", right}, {"errors", right}};
    for (auto const& each : shown_percentiles) columns.push_back({each.name, right});
    columns.push_back({"server"});
    text_table table(std::move(columns));
    for (server_report const& server : report.servers) {
        load_result const& result = server.result;
        std::vector<std::string> cells{server.label, count_text(result.latency.count()),
                                       count_text(result.errors.count())};
        for (auto const& each : shown_percentiles)
            cells.push_back(result.latency.count() == 0
                                ? "-"
                                : duration_text(result.latency.percentile(each.percent)));
        cells.push_back(server.url + (server.checked ? "" : " (answers equal, not judged)"));
        table.add_row(std::move(cells));
    }
    return table;
}

text_table throughput(bench_report const& report) {
    text_table table({{""},
                      {"requests/s", right},
                      {"nodes/s", right},
                      {"sent/s", right},
                      {"received/s", right},
                      {"reply", right},
                      {"protocol"}});
    for (server_report const& server : report.servers) {
        load_result const& result = server.result;
        double const requests = result.rate_of(result.latency.count());
        table.add_row(
            {server.label, number_text(requests),
             report.nodes ? number_text(requests * static_cast<double>(*report.nodes)) : "-",
             bytes_text(result.rate_of(result.bytes_out)),
             bytes_text(result.rate_of(result.bytes_in)), reply_text(result), server.protocol});
    }
    return table;
}

text_table ratios(bench_report const& report) {
    text_table table({{"time"},
                      {"median", right},
                      {"inverse", right},
                      {"spread", right},
                      {"rounds", right},
                      {""}});
    for (std::size_t i = 0; i != report.figures.size(); ++i) {
        comparison_figure const& each = report.figures[i];
        std::string note;
        if (each.first_try)
            note = "measured again; at first " + fixed_text(each.first_try->ratio, 3) +
                   " with a spread of " + fixed_text(each.first_try->spread_percent, 0) + " %";
        if (!each.figure.steady()) note += note.empty() ? "NOT STEADY" : "; NOT STEADY";
        table.add_row({"A / " + report.servers[i + 1].label, fixed_text(each.figure.ratio, 3),
                       fixed_text(1 / each.figure.ratio, 3),
                       fixed_text(each.figure.spread_percent, 1) + " %",
                       std::to_string(each.figure.rounds.size()), note});
    }
    return table;
}

text_table errors(bench_report const& report) {
    text_table table({{""}, {"error"}, {"count", right}, {"the first"}});
    for (server_report const& server : report.servers)
        for (auto const& [kind, entry] : server.result.errors.by_kind())
            table.add_row({server.label, kind, count_text(entry.count), entry.first_detail});
    return table;
}

text_table process(process_usage const& before, process_usage const& after) {
    text_table table({{"process"}, {"before", right}, {"after", right}, {"more", right}, {""}});
    auto const bytes = [&](char const* name, std::uint64_t from, std::uint64_t to) {
        double const more = static_cast<double>(to) - static_cast<double>(from);
        table.add_row({name, bytes_text(static_cast<double>(from)),
                       bytes_text(static_cast<double>(to)), bytes_text(more), ""});
    };
    bytes("resident", before.resident_bytes, after.resident_bytes);
    bytes("peak", before.peak_resident_bytes, after.peak_resident_bytes);
    table.add_row({"CPU", fixed_text(before.cpu_seconds, 2) + " s",
                   fixed_text(after.cpu_seconds, 2) + " s",
                   fixed_text(after.cpu_seconds - before.cpu_seconds, 2) + " s", ""});
    return table;
}

}  // namespace

void write_text(std::ostream& out, bench_report const& report) {
    std::string line;
    for (auto const& [name, value] : report.setting)
        line += (line.empty() ? "" : " · ") + name + ' ' + value;
    out << line << "\n\n" << latencies(report) << '\n' << throughput(report);
    if (!report.figures.empty()) out << '\n' << ratios(report);
    if (report.usage) out << '\n' << process(report.usage->first, report.usage->second);
    for (server_report const& each : report.servers) {
        if (each.result.errors.count() == 0) continue;
        out << '\n' << errors(report);
        break;
    }
    out << '\n';
    for (std::string const& each : report.warnings()) out << "warning: " << each << '\n';
    machine_facts const& machine = report.machine;
    out << machine.time << ", " << machine.processor << ", cores " << machine.cores << ", "
        << machine.kernel << ", " << machine.openssl << ", Boost " << machine.boost << ", "
        << machine.compiler << '\n';
}

}  // namespace nodesieve::bench
