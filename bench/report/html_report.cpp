#include <ostream>
#include <string>
#include <string_view>

#include "bench_report.hpp"
#include "html_pictures.hpp"
#include "html_style.hpp"
#include "html_table.hpp"
#include "quantity_text.hpp"

namespace nodesieve::bench {

namespace {

std::string name_of(server_report const& server) { return server.label + ' ' + server.url; }

void write_tile(std::ostream& out, std::string_view name, std::string_view value,
                std::string_view more = {}) {
    out << "<div class=\"tile\"><dt>" << html_escaped(name) << "</dt><dd>" << html_escaped(value);
    if (!more.empty()) out << "<small>" << html_escaped(more) << "</small>";
    out << "</dd></div>\n";
}

// "1.161 × its time", or "11.0 × as fast".
std::string comparison_text(double ratio) {
    return ratio >= 1 ? fixed_text(ratio, 3) + " × its time"
                      : number_text(1 / ratio) + " × as fast";
}

std::string nodes_a_second(bench_report const& report, double requests) {
    return report.nodes ? number_text(requests * static_cast<double>(*report.nodes)) : "–";
}

void write_tiles(std::ostream& out, bench_report const& report) {
    server_report const& first = report.servers.front();
    latency_histogram const& latency = first.result.latency;
    double const requests = first.result.rate_of(latency.count());
    out << "<dl class=\"tiles\">\n";
    for (std::size_t i = 0; i != report.figures.size(); ++i) {
        ratio_figure const& figure = report.figures[i].figure;
        write_tile(out, "A compared to " + report.servers[i + 1].label,
                   comparison_text(figure.ratio),
                   "spread " + fixed_text(figure.spread_percent, 0) + " %");
    }
    if (latency.count() != 0) {
        write_tile(out, "p50", duration_text(latency.percentile(50)));
        write_tile(out, "p99", duration_text(latency.percentile(99)));
    }
    if (!report.compares()) {
        write_tile(out, "requests", number_text(requests) + " /s");
        if (report.nodes) write_tile(out, "nodes", nodes_a_second(report, requests) + " /s");
    }
    write_tile(out, "answers", report.all_right() ? "all right" : "ERRORS",
               count_text(latency.count()) + " right from A");
    out << "</dl>\n";
}

void write_servers(std::ostream& out, bench_report const& report) {
    html_table who{"Who was asked", {"server", "URL", "protocol", "answers"}, {}};
    html_table what{
        "Throughput",
        {"server", "right", "errors", "requests/s", "nodes/s", "sent/s", "received/s", "reply"},
        {}};
    for (server_report const& server : report.servers) {
        load_result const& result = server.result;
        double const requests = result.rate_of(result.latency.count());
        who.rows.push_back({server.label, server.url, server.protocol,
                            server.checked ? "checked" : "equal, not judged"});
        what.rows.push_back(
            {server.label, count_text(result.latency.count()), count_text(result.errors.count()),
             number_text(requests), nodes_a_second(report, requests),
             bytes_text(result.rate_of(result.bytes_out)),
             bytes_text(result.rate_of(result.bytes_in)), count_text(result.largest_reply) + " B"});
    }
    out << "<section>\n<h2>Servers</h2>\n<div class=\"text\">" << who << "</div>\n"
        << what << "</section>\n";
}

void write_errors(std::ostream& out, bench_report const& report) {
    html_table table{"Errors by kind", {"server", "error", "count", "the first"}, {}};
    for (server_report const& server : report.servers)
        for (auto const& [kind, tally] : server.result.errors.by_kind())
            table.rows.push_back({server.label, kind, count_text(tally.count), tally.first_detail});
    if (table.rows.empty()) return;
    out << "<section>\n<h2>Errors</h2>\n<div class=\"text\">" << table << "</div>\n</section>\n";
}

void write_process(std::ostream& out, process_usage const& before, process_usage const& after) {
    auto const bytes = [](std::uint64_t number) { return bytes_text(static_cast<double>(number)); };
    auto const seconds = [](double number) { return fixed_text(number, 2) + " s"; };
    html_table const table{
        "Memory and CPU time",
        {"of the process", "before", "after"},
        {{"resident", bytes(before.resident_bytes), bytes(after.resident_bytes)},
         {"peak", bytes(before.peak_resident_bytes), bytes(after.peak_resident_bytes)},
         {"CPU", seconds(before.cpu_seconds), seconds(after.cpu_seconds)}}};
    out << "<section>\n<h2>The server's process</h2>\n" << table << "</section>\n";
}

void write_setting(std::ostream& out, bench_report const& report) {
    html_table asked{"What was asked for", {"name", "value"}, {}};
    for (auto const& [name, value] : report.setting) asked.rows.push_back({name, value});
    machine_facts const& machine = report.machine;
    html_table const machine_table{"Where and with what",
                                   {"name", "value"},
                                   {{"time", machine.time},
                                    {"processor", machine.processor},
                                    {"cores", machine.cores},
                                    {"kernel", machine.kernel},
                                    {"OpenSSL", machine.openssl},
                                    {"Boost", machine.boost},
                                    {"compiler", machine.compiler}}};
    out << "<section>\n<h2>Setting</h2>\n<div class=\"pair text\">\n"
        << asked << machine_table << "</div>\n</section>\n";
}

}  // namespace

void write_html(std::ostream& out, bench_report const& report) {
    out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n"
           "<title>nodesieve-bench</title>\n<style>\n"
        << html_style << "</style>\n</head>\n<body>\n<header>\n<h1>nodesieve-bench</h1>\n<p>"
        << html_escaped(name_of(report.servers.front()));
    if (report.nodes) out << ", " << count_text(*report.nodes) << " nodes";
    out << ", a body of " << bytes_text(static_cast<double>(report.body_bytes)) << "</p>\n";
    for (std::string const& each : report.warnings())
        out << "<p class=\"warning\">" << html_escaped(each) << "</p>\n";
    out << "</header>\n<main>\n";
    write_tiles(out, report);
    write_servers(out, report);
    write_latency_section(out, report);
    if (report.compares())
        write_rounds_section(out, report);
    else
        write_time_line_sections(out, report.servers.front().result);
    write_errors(out, report);
    if (report.usage) write_process(out, report.usage->first, report.usage->second);
    write_setting(out, report);
    out << "</main>\n</body>\n</html>\n";
}

}  // namespace nodesieve::bench
