#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace nodesieve::bench {

/// Lines text up in columns, for people. Widths count UTF-8 characters; the last column is left as
/// it is, so it may hold colours.
class text_table {
  public:
    enum class side { left, right };

    struct column {
        std::string heading;
        side alignment = side::left;
    };

    explicit text_table(std::vector<column> columns);

    /// One cell a column.
    void add_row(std::vector<std::string> cells);

    friend std::ostream& operator<<(std::ostream& out, text_table const& table);

  private:
    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;  // the headings first
};

}  // namespace nodesieve::bench
