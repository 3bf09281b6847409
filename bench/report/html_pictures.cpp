#include "html_pictures.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "html_table.hpp"
#include "line_chart.hpp"
#include "quantity_text.hpp"

namespace nodesieve::bench {

namespace {

using std::chrono::nanoseconds;

struct time_unit {
    char const* name;
    double in_ns;
};

// The unit in which the largest of some durations has one to three digits before the point.
time_unit unit_for(nanoseconds largest) {
    auto const ns = static_cast<double>(largest.count());
    for (time_unit const unit : {time_unit{"s", 1e9}, time_unit{"ms", 1e6}, time_unit{"µs", 1e3}})
        if (ns >= unit.in_ns) return unit;
    return {"ns", 1};
}

double in(time_unit const& unit, nanoseconds duration) {
    return static_cast<double>(duration.count()) / unit.in_ns;
}

double in_seconds(nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

std::string name_of(server_report const& server) { return server.label + ' ' + server.url; }

// A picture and, beside it, the same as numbers.
void write_figure(std::ostream& out, std::string_view title, line_chart const& chart,
                  html_table const& table) {
    out << "<section>\n<h2>" << title << "</h2>\n<div class=\"figure\">\n<div class=\"picture\">\n"
        << chart << "</div>\n"
        << table << "</div>\n</section>\n";
}

std::string cell(latency_histogram const& latency, double percent) {
    return latency.count() == 0 ? "–" : duration_text(latency.percentile(percent));
}

bool far_apart(nanoseconds smallest, nanoseconds largest) {
    return smallest.count() > 0 && largest / smallest >= 5;
}

// Logarithmic when one line would lie on the floor otherwise.
line_chart::axis duration_axis(std::string const& name, time_unit const& unit, nanoseconds smallest,
                               nanoseconds largest) {
    std::string const title = name + ", " + unit.name;
    if (far_apart(smallest, largest))
        return line_chart::axis::log_between(in(unit, smallest), in(unit, largest), title);
    return line_chart::axis::up_to(in(unit, largest), title);
}

double nines_of(double percent, std::uint64_t count) {
    double const end = std::log10(static_cast<double>(count));
    return percent < 100 ? std::min(-std::log10(1 - percent / 100), end) : end;
}

// Percentiles by their nines: 90 % is at 1, 99 % at 2, 99.9 % at 3. The largest of n is at
// log10(n).
line_chart::series latency_curve(server_report const& server, time_unit const& unit) {
    constexpr int points = 120;
    latency_histogram const& latency = server.result.latency;
    line_chart::series line{name_of(server), {}};
    if (latency.count() == 0) return line;
    double const end = nines_of(100, latency.count());
    for (int i = 0; i != points; ++i) {
        double const nines = end * i / points;
        double const percent = 100 * (1 - std::pow(10, -nines));
        line.points.push_back({nines, in(unit, latency.percentile(percent))});
    }
    for (auto const& shown : shown_percentiles) {
        nanoseconds const at = latency.percentile(shown.percent);
        line.points.push_back({nines_of(shown.percent, latency.count()), in(unit, at),
                               server.label + ' ' + shown.name + ": " + duration_text(at)});
    }
    std::stable_sort(line.points.begin(), line.points.end(),
                     [](auto const& a, auto const& b) { return a.x < b.x; });
    return line;
}

line_chart::axis percentile_axis(std::uint64_t count) {
    line_chart::axis axis;
    axis.title = "percentile";
    axis.end = nines_of(100, count);
    for (char const* text : {"0", "50", "90", "99", "99.9", "99.99", "99.999", "99.9999"}) {
        double const nines = nines_of(std::strtod(text, nullptr), count);
        if (nines < 0.92 * axis.end) axis.ticks.push_back({nines, text});
    }
    axis.ticks.push_back({axis.end, "max"});
    return axis;
}

html_table percentile_table(bench_report const& report) {
    html_table table{"Latency of right answers", {"percentile"}, {{"min"}}};
    for (auto const& shown : shown_percentiles) table.rows.push_back({shown.name});
    table.rows.push_back({"mean"});
    for (server_report const& each : report.servers) {
        latency_histogram const& latency = each.result.latency;
        table.heading.push_back(each.label);
        auto row = table.rows.begin();
        (row++)->push_back(cell(latency, 0));
        for (auto const& shown : shown_percentiles)
            (row++)->push_back(cell(latency, shown.percent));
        row->push_back(latency.count() == 0 ? "–" : duration_text(latency.mean()));
    }
    return table;
}

// Wide enough that a slot holds some answers: else it would show their rhythm and no rate.
time_line readable(time_line line, std::uint64_t answers) {
    constexpr std::size_t answers_a_slot = 3, fewest_slots = 6;
    while (line.slots().size() > fewest_slots && answers / line.slots().size() < answers_a_slot)
        line.widen();
    return line;
}

struct slot_row {
    double middle_s, width_s;
    time_line::slot slot;
};

std::vector<slot_row> rows_of(time_line const& line, nanoseconds elapsed) {
    std::vector<slot_row> rows;
    double const width = in_seconds(line.slot_width());
    for (time_line::slot const& slot : line.slots()) {
        double const from = static_cast<double>(rows.size()) * width;
        // The last one may have been cut short; a rate over a tenth of a slot would be noise.
        double const part = std::clamp((in_seconds(elapsed) - from) / width, 0.1, 1.0);
        double const wide = part > 0.9 ? width : part * width;
        rows.push_back({from + wide / 2, wide, slot});
    }
    return rows;
}

std::string seconds_text(slot_row const& row) { return fixed_text(row.middle_s, 2) + " s"; }

void write_latency_over_time(std::ostream& out, load_result const& result,
                             std::vector<slot_row> const& rows) {
    std::vector<std::pair<std::string, double>> const drawn = {
        {"p50", 50}, {"p90", 90}, {"max", 100}};
    time_unit const unit = unit_for(result.latency.max());
    line_chart chart;
    chart.description = "Latency over time; the table beside it has the numbers";
    chart.x = line_chart::axis::up_to(in_seconds(result.elapsed), "time, s");
    chart.y = duration_axis("latency", unit, result.latency.max(), result.latency.max());
    for (auto const& each : drawn) chart.lines.push_back({each.first, {}});
    html_table table{"Latency over time", {"time", "p50", "p90", "p99", "max"}, {}};
    bool gap = false;
    for (slot_row const& row : rows) {
        latency_histogram const& slot = row.slot.latency;
        std::string const when = seconds_text(row);
        table.rows.push_back(
            {when, cell(slot, 50), cell(slot, 90), cell(slot, 99), cell(slot, 100)});
        for (std::size_t i = 0; i != drawn.size() && slot.count() != 0; ++i) {
            auto const& [name, percent] = drawn[i];
            nanoseconds const at = slot.percentile(percent);
            chart.lines[i].points.push_back(
                {row.middle_s, in(unit, at), when + ": " + name + ' ' + duration_text(at), gap});
        }
        gap = slot.count() == 0;
    }
    write_figure(out, "Latency over time", chart, table);
}

void write_throughput_over_time(std::ostream& out, load_result const& result,
                                std::vector<slot_row> const& rows) {
    line_chart::series answers{"right answers", {}}, errors{"errors", {}};
    html_table table{"Throughput over time", {"time", "requests/s", "right", "errors"}, {}};
    double most = 0;
    for (slot_row const& row : rows) {
        double const rate = static_cast<double>(row.slot.latency.count()) / row.width_s;
        double const error_rate = static_cast<double>(row.slot.errors) / row.width_s;
        std::string const when = seconds_text(row);
        most = std::max({most, rate, error_rate});
        answers.points.push_back(
            {row.middle_s, rate, when + ": " + number_text(rate) + " right answers/s"});
        errors.points.push_back(
            {row.middle_s, error_rate, when + ": " + number_text(error_rate) + " errors/s"});
        table.rows.push_back({when, number_text(rate), count_text(row.slot.latency.count()),
                              count_text(row.slot.errors)});
    }
    line_chart chart;
    chart.description = "Throughput over time; the table beside it has the numbers";
    chart.x = line_chart::axis::up_to(in_seconds(result.elapsed), "time, s");
    chart.y = line_chart::axis::up_to(most, "requests/s");
    chart.lines.push_back(std::move(answers));
    if (result.errors.count() != 0) chart.lines.push_back(std::move(errors));
    write_figure(out, "Throughput over time", chart, table);
}

}  // namespace

void write_latency_section(std::ostream& out, bench_report const& report) {
    nanoseconds smallest = nanoseconds::max(), smallest_max = nanoseconds::max(), largest{};
    std::uint64_t most = 3;
    for (server_report const& each : report.servers) {
        latency_histogram const& latency = each.result.latency;
        if (latency.count() == 0) continue;
        smallest = std::min(smallest, latency.min());
        smallest_max = std::min(smallest_max, latency.max());
        largest = std::max(largest, latency.max());
        most = std::max(most, latency.count());
    }
    time_unit const unit = unit_for(largest);
    line_chart chart;
    chart.description = "Latency by percentile; the table beside it has the numbers";
    // Servers that are far apart ask for a logarithm; the tail of one is to be seen as it is.
    chart.y = duration_axis("latency", unit, far_apart(smallest_max, largest) ? smallest : largest,
                            largest);
    chart.x = percentile_axis(most);
    for (server_report const& each : report.servers)
        chart.lines.push_back(latency_curve(each, unit));
    write_figure(out, "Latency", chart, percentile_table(report));
}

void write_time_line_sections(std::ostream& out, load_result const& result) {
    std::vector<slot_row> const rows =
        rows_of(readable(result.over_time, result.latency.count()), result.elapsed);
    write_latency_over_time(out, result, rows);
    write_throughput_over_time(out, result, rows);
}

void write_rounds_section(std::ostream& out, bench_report const& report) {
    nanoseconds smallest = nanoseconds::max(), largest{};
    html_table table{"Median latency by round, and its ratios", {"round"}, {}};
    for (std::size_t i = 1; i <= report.rounds; ++i) table.rows.push_back({std::to_string(i)});
    for (server_report const& each : report.servers) {
        table.heading.push_back(each.label);
        for (std::size_t i = 0; i != table.rows.size(); ++i) {
            bool const there = i < each.round_p50s.size();
            table.rows[i].push_back(there ? duration_text(each.round_p50s[i]) : "–");
        }
        for (auto const p50 : each.round_p50s) {
            smallest = std::min(smallest, p50);
            largest = std::max(largest, p50);
        }
    }
    for (std::size_t i = 0; i != report.figures.size(); ++i) {
        table.heading.push_back("A / " + report.servers[i + 1].label);
        for (std::size_t round = 0; round != report.figures[i].figure.rounds.size(); ++round)
            table.rows[round].push_back(fixed_text(report.figures[i].figure.rounds[round], 3));
    }

    time_unit const unit = unit_for(largest);
    line_chart chart;
    chart.description =
        "Median latency of each server by round; the table beside it has the numbers";
    chart.x.title = "round";
    chart.x.end = static_cast<double>(report.rounds) + 1;
    for (std::size_t i = 1; i <= report.rounds; i += (report.rounds + 19) / 20)
        chart.x.ticks.push_back({static_cast<double>(i), std::to_string(i)});
    chart.y = duration_axis("p50", unit, smallest, largest);
    for (server_report const& each : report.servers) {
        line_chart::series line{name_of(each), {}};
        for (std::size_t i = 0; i != each.round_p50s.size(); ++i)
            line.points.push_back({static_cast<double>(i + 1), in(unit, each.round_p50s[i]),
                                   each.label + " round " + std::to_string(i + 1) + ": " +
                                       duration_text(each.round_p50s[i])});
        chart.lines.push_back(std::move(line));
    }
    write_figure(out, "Rounds", chart, table);
}

}  // namespace nodesieve::bench
