#include "html_table.hpp"

#include <cstddef>
#include <ostream>

namespace nodesieve::bench {

std::string html_escaped(std::string_view text) {
    std::string result;
    for (char const c : text) {
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            default: result += c;
        }
    }
    return result;
}

std::ostream& operator<<(std::ostream& out, html_table const& table) {
    std::string const caption = html_escaped(table.caption);
    out << "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" << caption
        << "\"><table>\n<caption>" << caption << "</caption>\n<thead><tr>";
    for (std::string const& each : table.heading)
        out << "<th scope=\"col\">" << html_escaped(each) << "</th>";
    out << "</tr></thead>\n<tbody>\n";
    for (auto const& cells : table.rows) {
        out << "<tr><th scope=\"row\">" << html_escaped(cells.front()) << "</th>";
        for (std::size_t i = 1; i != cells.size(); ++i)
            out << "<td>" << html_escaped(cells[i]) << "</td>";
        out << "</tr>\n";
    }
    return out << "</tbody></table></div>\n";
}

}  // namespace nodesieve::bench
