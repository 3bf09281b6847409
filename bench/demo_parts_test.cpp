#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "json_difference.hpp"
#include "text_table.hpp"

namespace {

using namespace nodesieve::bench;

struct difference_case {
    std::string_view expected, seen, message;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(json_difference)

BOOST_AUTO_TEST_CASE(tells_the_first_difference_and_its_path) {
    for (auto const& [expected, seen, message] : {
             difference_case{R"({"a":1,"b":[2]})", R"({"b":[2],"a":1})", ""},
             difference_case{"1", "2", ": expected 1, saw 2"},
             difference_case{R"({"a":[{"b":"x"}]})", R"({"a":[{"b":"y"}]})",
                             R"(a[0].b: expected "x", saw "y")"},
             difference_case{R"({"a":1})", "{}", "a: expected 1, saw no such member"},
             difference_case{"{}", R"({"a":1})", "a: expected no such member, saw 1"},
             difference_case{R"({"a":[1,2]})", R"({"a":[2,1]})", "a[0]: expected 1, saw 2"},
             difference_case{R"({"a":[1]})", R"({"a":[1,2]})", "a: expected 1 elements, saw 2"},
             difference_case{R"({"a":null})", R"({"a":{}})", "a: expected null, saw {}"},
         }) {
        BOOST_TEST_CONTEXT(expected << " and " << seen) {
            BOOST_TEST(first_difference(boost::json::parse(expected), boost::json::parse(seen)) ==
                       message);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(text_table_lines_up_characters_not_bytes) {
    text_table table({{"name"}, {"count", text_table::side::right}, {"answer"}});
    table.add_row({"a×b", "7", "right"});
    table.add_row({"longer", "123456", "WRONG"});
    std::ostringstream out;
    out << table;
    BOOST_TEST(out.str() ==
               "name     count  answer\n"
               "a×b          7  right\n"
               "longer  123456  WRONG\n");
}
