#include <boost/json.hpp>
#include <chrono>
#include <ostream>

#include "bench_report.hpp"

namespace nodesieve::bench {

namespace json = boost::json;

namespace {

double seconds(std::chrono::nanoseconds duration) {
    return std::chrono::duration<double>(duration).count();
}

json::object latency_json(latency_histogram const& latency) {
    json::object object;
    if (latency.count() == 0) return object;
    for (auto const& each : shown_percentiles)
        object.emplace(each.name, seconds(latency.percentile(each.percent)));
    object.emplace("min", seconds(latency.min()));
    object.emplace("mean", seconds(latency.mean()));
    return object;
}

json::object errors_json(error_tally const& errors) {
    json::object object;
    for (auto const& [kind, entry] : errors.by_kind())
        object.emplace(kind, json::object{{"count", entry.count}, {"first", entry.first_detail}});
    return object;
}

json::object time_line_json(time_line const& line) {
    json::array slots;
    for (time_line::slot const& slot : line.slots()) {
        json::object entry{{"requests", slot.latency.count()}, {"errors", slot.errors}};
        if (slot.latency.count() != 0) {
            entry.emplace("p50", seconds(slot.latency.percentile(50)));
            entry.emplace("p90", seconds(slot.latency.percentile(90)));
            entry.emplace("p99", seconds(slot.latency.percentile(99)));
            entry.emplace("max", seconds(slot.latency.max()));
        }
        slots.push_back(std::move(entry));
    }
    return {{"slot_seconds", seconds(line.slot_width())}, {"slots", std::move(slots)}};
}

json::object server_json(server_report const& server, bench_report const& report) {
    load_result const& result = server.result;
    double const requests = result.rate_of(result.latency.count());
    json::object object{
        {"label", server.label},
        {"url", server.url},
        {"protocol", server.protocol},
        {"checked", server.checked},
        {"right", result.latency.count()},
        {"errors", errors_json(result.errors)},
        {"elapsed_seconds", seconds(result.elapsed)},
        {"latency_seconds", latency_json(result.latency)},
        {"requests_per_second", requests},
        {"sent_bytes_per_second", result.rate_of(result.bytes_out)},
        {"received_bytes_per_second", result.rate_of(result.bytes_in)},
        {"reply_bytes", {{"smallest", result.smallest_reply}, {"largest", result.largest_reply}}}};
    if (report.nodes)
        object.emplace("nodes_per_second", requests * static_cast<double>(*report.nodes));
    if (report.compares()) {
        json::array rounds;
        for (auto const p50 : server.round_p50s) rounds.push_back(seconds(p50));
        object.emplace("round_p50_seconds", std::move(rounds));
    } else {
        object.emplace("time_line", time_line_json(result.over_time));
    }
    return object;
}

json::object ratio_json(ratio_figure const& figure) {
    return {{"median", figure.ratio},
            {"spread_percent", figure.spread_percent},
            {"steady", figure.steady()},
            {"rounds", json::value_from(figure.rounds)}};
}

json::object usage_json(process_usage const& usage) {
    return {{"resident_bytes", usage.resident_bytes},
            {"peak_resident_bytes", usage.peak_resident_bytes},
            {"cpu_seconds", usage.cpu_seconds}};
}

json::object machine_json(machine_facts const& machine) {
    return {{"time", machine.time},      {"processor", machine.processor}, {"cores", machine.cores},
            {"kernel", machine.kernel},  {"compiler", machine.compiler},   {"boost", machine.boost},
            {"openssl", machine.openssl}};
}

}  // namespace

void write_json(std::ostream& out, bench_report const& report) {
    json::object setting;
    for (auto const& [name, value] : report.setting) setting.emplace(name, value);
    json::object document{{"all_right", report.all_right()},
                          {"machine", machine_json(report.machine)},
                          {"setting", std::move(setting)},
                          {"body_bytes", report.body_bytes}};
    if (report.nodes) document.emplace("nodes", *report.nodes);
    json::array servers;
    for (server_report const& each : report.servers) servers.push_back(server_json(each, report));
    document.emplace("servers", std::move(servers));
    if (report.compares()) {
        json::array figures;
        for (comparison_figure const& each : report.figures) {
            json::object figure = ratio_json(each.figure);
            figure.emplace("url", report.servers.front().url);
            figure.emplace("other_url", each.other_url);
            if (each.first_try) {
                figure.emplace("first_median", each.first_try->ratio);
                figure.emplace("first_spread_percent", each.first_try->spread_percent);
            }
            figures.push_back(std::move(figure));
        }
        document.emplace("ratios", std::move(figures));
    }
    if (report.usage)
        document.emplace("process", json::object{{"before", usage_json(report.usage->first)},
                                                 {"after", usage_json(report.usage->second)}});
    document.emplace("warnings", json::value_from(report.warnings()));
    out << json::value(std::move(document)) << '\n';
}

}  // namespace nodesieve::bench
