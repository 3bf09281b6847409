#include "text_table.hpp"

#include <algorithm>
#include <cassert>
#include <ostream>
#include <utility>

namespace nodesieve::bench {

namespace {

// Characters, that is bytes that do not continue one.
std::size_t width(std::string const& text) {
    auto const starts = std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
    return static_cast<std::size_t>(starts);
}

}  // namespace

text_table::text_table(std::vector<column> columns) : columns_(std::move(columns)) {
    std::vector<std::string> headings;
    for (column const& each : columns_) headings.push_back(each.heading);
    rows_.push_back(std::move(headings));
}

void text_table::add_row(std::vector<std::string> cells) {
    assert(cells.size() == columns_.size());
    rows_.push_back(std::move(cells));
}

std::ostream& operator<<(std::ostream& out, text_table const& table) {
    std::vector<std::size_t> widths(table.columns_.size());
    for (auto const& row : table.rows_)
        for (std::size_t i = 0; i != row.size(); ++i)
            widths[i] = std::max(widths[i], width(row[i]));

    for (auto const& row : table.rows_) {
        for (std::size_t i = 0; i + 1 != row.size(); ++i) {
            std::string const padding(widths[i] - width(row[i]), ' ');
            bool const left = table.columns_[i].alignment == text_table::side::left;
            out << (left ? row[i] + padding : padding + row[i]) << "  ";
        }
        out << row.back() << '\n';
    }
    return out;
}

}  // namespace nodesieve::bench
