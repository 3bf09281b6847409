#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace nodesieve::bench {

/// A picture of lines over two axes, as SVG. Colours and dashes come from the page's classes
/// `line-0`, `line-1`, …
struct line_chart {
    struct point {
        double x = 0, y = 0;
        std::string tip = {};    ///< makes it a dot that shows this text under the pointer
        bool after_gap = false;  ///< not joined to the point before
    };
    struct series {
        std::string name;
        std::vector<point> points;  ///< in the order of x
    };
    struct tick {
        double at = 0;
        std::string text;
    };
    struct axis {
        std::string title;
        double start = 0, end = 1;  ///< start < end
        std::vector<tick> ticks;
        bool logarithmic = false;  ///< then 0 < start

        /// From 0 to `largest` or a little beyond, with four to eleven round ticks.
        [[nodiscard]] static axis up_to(double largest, std::string title);
        /// Logarithmic, with ticks at 1, 2, 5, 10, … around the values. Precondition: 0 < smallest.
        [[nodiscard]] static axis log_between(double smallest, double largest, std::string title);
    };

    std::string description;  ///< for those who do not see it
    axis x, y;
    std::vector<series> lines;

    /// With a legend when there are several lines.
    friend std::ostream& operator<<(std::ostream& out, line_chart const& chart);
};

}  // namespace nodesieve::bench
