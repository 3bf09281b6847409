#include "process_usage.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string_view>
#include <tuple>

using nodesieve::bench::process_usage;

BOOST_AUTO_TEST_SUITE(process_usage_)

BOOST_AUTO_TEST_CASE(is_read_from_the_texts_of_proc) {
    constexpr std::string_view status =
        "Name:\tx VmRSS: 1\nVmPeak:\t  9999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
    constexpr std::string_view stat =
        "77 (a) 9 (b c) S 1 77 77 0 -1 4194560 1 2 3 4 250 150 7 8 20 0 3 0 99";
    process_usage const usage = process_usage::from(status, stat, 100);
    BOOST_TEST(usage.resident_bytes == 1024U * 1024);
    BOOST_TEST(usage.peak_resident_bytes == 2048U * 1024);
    BOOST_TEST(usage.cpu_seconds == 4.0);
}

BOOST_AUTO_TEST_CASE(is_zero_where_the_texts_say_nothing) {
    process_usage const usage = process_usage::from("", "1 (x) S", 100);
    BOOST_TEST(usage.resident_bytes == 0U);
    BOOST_TEST(usage.cpu_seconds == 0.0);
}

BOOST_AUTO_TEST_CASE(of_this_process_is_plausible) {
    process_usage const usage = process_usage::of(getpid());
    BOOST_TEST(usage.resident_bytes > 100'000U);
    BOOST_TEST(usage.peak_resident_bytes >= usage.resident_bytes);
}

BOOST_AUTO_TEST_CASE(names_the_process_that_is_not_there) {
    BOOST_CHECK_EXCEPTION(
        std::ignore = process_usage::of(0), std::runtime_error, [](auto const& error) {
            return std::string_view(error.what()).find("process 0") != std::string_view::npos;
        });
}

BOOST_AUTO_TEST_SUITE_END()
