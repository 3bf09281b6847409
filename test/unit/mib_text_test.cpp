#include <nodesieve/mib_text.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

using namespace nodesieve;

BOOST_AUTO_TEST_SUITE(mib_text_test)

BOOST_AUTO_TEST_CASE(reads_what_parse_int_reads_within_the_range) {
    struct row {
        std::string_view text;
        std::int32_t value;
    };
    static constexpr row rows[] = {
        {"1", 1},
        {"+5", 5},
        {"00016384", 16384},
        {"1048576", 1048576},
        {"1048577", 0},
        {"0", 0},
        {"-0", 0},
        {"-1", 0},
        {"", 0},
        {"+", 0},
        {"-", 0},
        {"+-1", 0},
        {"--1", 0},
        {"1-", 0},
        {" 1", 0},
        {"1 ", 0},
        {"1_000", 0},
        {"0x10", 0},
        {"1e3", 0},
        {"1.0", 0},
        {"16384MiB", 0},
        {"42505273344", 0},
        {"2147483648", 0},
        {"4294967297", 0},
        {"9223372036854775808", 0},
        {"18446744073709551617", 0},
    };
    for (auto const& r : rows) BOOST_TEST_CONTEXT(r.text) BOOST_TEST(parse_mib(r.text) == r.value);
    BOOST_TEST(parse_mib(std::string("16384\0", 6)) == 0);
    BOOST_TEST(parse_mib("1" + std::string(100'000, '0')) == 0);
    BOOST_TEST(parse_mib(std::string(100'000, '0') + "7") == 7);
}

BOOST_AUTO_TEST_CASE(reads_the_same_in_pieces) {
    for (const std::string text : {"+16384", "16384x", "1048577", "-5", "9999999999"}) {
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            mib_text reader;
            reader.append(std::string_view(text).substr(0, cut));
            reader.append(std::string_view(text).substr(cut));
            BOOST_TEST_CONTEXT(text << " cut at " << cut)
            BOOST_TEST(reader.value() == parse_mib(text));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
