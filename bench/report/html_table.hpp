#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace nodesieve::bench {

/// Text as it may stand in HTML, also in an attribute's double quotes.
[[nodiscard]] std::string html_escaped(std::string_view text);

/// A table of the report page. Scrolls in itself when it is long, also by the keyboard.
struct html_table {
    std::string caption;
    std::vector<std::string> heading;
    std::vector<std::vector<std::string>> rows;  ///< the first cell is the row's heading

    friend std::ostream& operator<<(std::ostream& out, html_table const& table);
};

}  // namespace nodesieve::bench
