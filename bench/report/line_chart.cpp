#include "line_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <string_view>
#include <utility>

#include "html_table.hpp"

namespace nodesieve::bench {

namespace {

// In units of the picture, which is scaled to the width that the page has for it.
constexpr double width = 640, height = 300;
constexpr double left = 62, right = 18, top = 12, bottom = 44;

std::string short_number(double number) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", number);
    return text.data();
}

std::string coordinate(double number) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", number);
    return text.data();
}

// How far along the axis: from 0 to 1.
double share_of(line_chart::axis const& axis, double value) {
    if (axis.logarithmic) return std::log(value / axis.start) / std::log(axis.end / axis.start);
    return (value - axis.start) / (axis.end - axis.start);
}

class drawing {
  public:
    drawing(std::ostream& out, line_chart const& chart) : out_(out), chart_(chart) {}

    void draw() {
        out_ << "<svg viewBox=\"0 0 " << width << ' ' << height << "\" role=\"img\" aria-label=\""
             << html_escaped(chart_.description) << "\">\n";
        for (auto const& each : chart_.y.ticks) draw_y_tick(each);
        for (auto const& each : chart_.x.ticks) draw_x_tick(each);
        text("axis-title", (left + width - right) / 2, height - 6, "middle", chart_.x.title);
        out_ << "<text class=\"axis-title\" text-anchor=\"middle\" transform=\"translate(14 "
             << coordinate((top + height - bottom) / 2) << ") rotate(-90)\">"
             << html_escaped(chart_.y.title) << "</text>\n";
        for (std::size_t i = 0; i != chart_.lines.size(); ++i) draw_line(i);
        out_ << "</svg>\n";
    }

  private:
    [[nodiscard]] double x_of(double value) const {
        return left + share_of(chart_.x, value) * (width - left - right);
    }
    [[nodiscard]] double y_of(double value) const {
        return height - bottom - share_of(chart_.y, value) * (height - top - bottom);
    }

    void text(char const* css_class, double x, double y, char const* anchor,
              std::string_view content) {
        out_ << "<text class=\"" << css_class << "\" x=\"" << coordinate(x) << "\" y=\""
             << coordinate(y) << "\" text-anchor=\"" << anchor << "\">" << html_escaped(content)
             << "</text>\n";
    }

    void rule(double x1, double y1, double x2, double y2) {
        out_ << "<line class=\"grid\" x1=\"" << coordinate(x1) << "\" y1=\"" << coordinate(y1)
             << "\" x2=\"" << coordinate(x2) << "\" y2=\"" << coordinate(y2) << "\"/>\n";
    }

    void draw_y_tick(line_chart::tick const& tick) {
        double const y = y_of(tick.at);
        rule(left, y, width - right, y);
        text("tick", left - 7, y + 4, "end", tick.text);
    }

    void draw_x_tick(line_chart::tick const& tick) {
        double const x = x_of(tick.at);
        rule(x, top, x, height - bottom);
        text("tick", x, height - bottom + 17, "middle", tick.text);
    }

    void draw_line(std::size_t index) {
        line_chart::series const& line = chart_.lines[index];
        out_ << "<g class=\"line-" << index % 4 << "\">\n<polyline points=\"";
        for (auto const& each : line.points) {
            if (each.after_gap) out_ << "\"/>\n<polyline points=\"";
            out_ << coordinate(x_of(each.x)) << ',' << coordinate(y_of(each.y)) << ' ';
        }
        out_ << "\"/>\n";
        for (auto const& each : line.points) {
            if (each.tip.empty()) continue;
            out_ << "<circle cx=\"" << coordinate(x_of(each.x)) << "\" cy=\""
                 << coordinate(y_of(each.y)) << "\" r=\"2.5\"><title>" << html_escaped(each.tip)
                 << "</title></circle>\n";
        }
        out_ << "</g>\n";
    }

    std::ostream& out_;
    line_chart const& chart_;
};

void write_legend(std::ostream& out, line_chart const& chart) {
    out << "<ul class=\"legend\">\n";
    for (std::size_t i = 0; i != chart.lines.size(); ++i)
        out << "<li class=\"line-" << i % 4
            << "\"><svg viewBox=\"0 0 28 10\" aria-hidden=\"true\"><polyline points=\"0,5 28,5\"/>"
               "</svg>"
            << html_escaped(chart.lines[i].name) << "</li>\n";
    out << "</ul>\n";
}

}  // namespace

line_chart::axis line_chart::axis::up_to(double largest, std::string title) {
    constexpr double aimed_ticks = 6;
    double const rough = (largest > 0 ? largest : 1) / aimed_ticks;
    double const power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (double const factor : {5.0, 2.0, 1.0})
        if (factor * power >= rough * 0.999) step = factor * power;

    axis made;
    made.title = std::move(title);
    auto const steps = static_cast<int>(std::ceil(aimed_ticks * rough / step - 1e-9));
    made.end = steps * step;
    for (int i = 0; i <= steps; ++i) made.ticks.push_back({i * step, short_number(i * step)});
    return made;
}

line_chart::axis line_chart::axis::log_between(double smallest, double largest, std::string title) {
    axis made;
    made.title = std::move(title);
    made.logarithmic = true;
    // Whole decades around the values, cut to the ticks that are next to them.
    auto const first = static_cast<int>(std::floor(std::log10(smallest)));
    auto const last = static_cast<int>(std::floor(std::log10(largest))) + 1;
    for (int decade = first; decade <= last; ++decade)
        for (double const factor : {1.0, 2.0, 5.0}) {
            double const at = factor * std::pow(10, decade);
            if (at < smallest * 1.0001) made.ticks.clear();
            bool const beyond = !made.ticks.empty() && made.ticks.back().at > largest * 0.9999;
            if (!beyond) made.ticks.push_back({at, short_number(at)});
        }
    made.start = made.ticks.front().at;
    made.end = made.ticks.back().at;
    return made;
}

std::ostream& operator<<(std::ostream& out, line_chart const& chart) {
    if (chart.lines.size() > 1) write_legend(out, chart);
    drawing(out, chart).draw();
    return out;
}

}  // namespace nodesieve::bench
