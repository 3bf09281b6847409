#include "quantity_text.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string_view>
#include <utility>

namespace {

using namespace std::chrono_literals;
using namespace nodesieve::bench;

}  // namespace

BOOST_AUTO_TEST_SUITE(quantity_text)

BOOST_AUTO_TEST_CASE(durations_have_three_digits_and_a_unit) {
    using case_ = std::pair<std::chrono::nanoseconds, std::string_view>;
    for (auto const& [duration, text] :
         {case_{0ns, "0 ns"}, case_{850ns, "850 ns"}, case_{999ns, "999 ns"},
          case_{1000ns, "1.00 µs"}, case_{12345ns, "12.3 µs"}, case_{999'999ns, "1.00 ms"},
          case_{4560us, "4.56 ms"}, case_{99'960us, "100 ms"}, case_{7s, "7.00 s"},
          case_{2000s, "2000 s"}})
        BOOST_TEST(duration_text(duration) == text);
}

BOOST_AUTO_TEST_CASE(bytes_are_counted_in_thousands) {
    BOOST_TEST(bytes_text(12) == "12 B");
    BOOST_TEST(bytes_text(4560) == "4.56 KB");
    BOOST_TEST(bytes_text(60'123'456) == "60.1 MB");
    BOOST_TEST(bytes_text(1.5) == "1.50 B");
}

BOOST_AUTO_TEST_CASE(numbers_keep_their_size_readable) {
    BOOST_TEST(number_text(0) == "0");
    BOOST_TEST(number_text(0.1234) == "0.123");
    BOOST_TEST(number_text(4.564) == "4.56");
    BOOST_TEST(number_text(999.6) == "1,000");
    BOOST_TEST(number_text(12345) == "12,345");
    BOOST_TEST(number_text(12'345'678) == "12.3 million");
}

BOOST_AUTO_TEST_CASE(counts_have_commas) {
    BOOST_TEST(count_text(0) == "0");
    BOOST_TEST(count_text(123) == "123");
    BOOST_TEST(count_text(1234) == "1,234");
    BOOST_TEST(count_text(1234567) == "1,234,567");
}

BOOST_AUTO_TEST_SUITE_END()
