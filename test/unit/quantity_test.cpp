#include <nodesieve/quantity.hpp>

#include <boost/multiprecision/cpp_int.hpp>
#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

using namespace nodesieve;

namespace {

quantity q(std::string_view text) {
    auto parsed = quantity::parse(text);
    BOOST_REQUIRE_MESSAGE(parsed, text << " is a quantity");
    return *parsed;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quantity_test)

BOOST_AUTO_TEST_CASE(reads_equal_amounts_written_in_different_ways) {
    static constexpr std::string_view equal[][2] = {
        {"1", "1000m"},
        {"1", "+1"},
        {"1k", "1000"},
        {"1Ki", "1024"},
        {"1.5Ki", "1536"},
        {"0.5", "500m"},
        {".5", "0.5"},
        {"5.", "5"},
        {"1e3", "1k"},
        {"1E3", "1000"},
        {"1e+2", "100"},
        {"1e-2", "10m"},
        {"1E", "1e18"},
        {"1Ei", "1152921504606846976"},
        {"1n", "1e-9"},
        {"1u", "1000n"},
        {"0.000", "0"},
        {"-0", "0"},
        {"000", "0"},
        {"+", "0"},
        {"-", "0"},
        {".", "0"},
        {"m", "0"},
        {"Ti", "0"},
        {"e5", "0"},
        {" 1 ", "1"},
        {"\xC2\xA0"
         "1\xE3\x80\x80",
         "1"},
        {"1e-10", "1n"},
        {"-1e-10", "-1n"},
        {"0.0000000011", "2n"},
        {"1.0000000009", "1000000001n"},
        {"0.9999999999", "1"},
        {"9Ei", "9223372036854775807"},
        {"-99999Ei", "-9223372036854775807"},
        {"999999999999999999999999", "999999999999999999999999e0"},
        {"00001e00005", "100k"},
    };
    for (auto const& pair : equal)
        BOOST_TEST_CONTEXT(pair[0] << " and " << pair[1]) BOOST_TEST((q(pair[0]) == q(pair[1])));
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_quantity) {
    for (const std::string_view text :
         {"",      " ",     "abc",   "0x1",   "1_0",      "1ki",   "1K",   "1kk", "1e",     "1e+",
          "1e1.5", "1.5.2", "1,5",   "1 0",   "ee5",      "1m5",   "1+5",  "--1", "+-1",    "Pi",
          "Ei",    "e-10",  ".e-10", "+e-10", "\xD9\xA3", "1\xC2", "1Kii", "1i",  "\\u0031"})
        BOOST_TEST_CONTEXT('"' << text << '"') BOOST_TEST(!quantity::parse(text));
}

BOOST_AUTO_TEST_CASE(refuses_an_exponent_beyond_32_bits) {
    BOOST_TEST(quantity::parse("1e2147483647").has_value());
    BOOST_TEST(quantity::parse("1e-2147483648").has_value());
    BOOST_TEST(!quantity::parse("1e2147483648"));
    BOOST_TEST(!quantity::parse("1e-2147483649"));
    BOOST_TEST(!quantity::parse("1e" + std::string(1000, '9')));
}

BOOST_AUTO_TEST_CASE(knows_its_sign) {
    BOOST_TEST(q("1n").sign() == 1);
    BOOST_TEST(q("-1e2147483647").sign() == -1);
    BOOST_TEST(q("0e2147483647").sign() == 0);
    BOOST_TEST(q("1e-2147483648").sign() == 1);
}

BOOST_AUTO_TEST_CASE(adds_amounts_of_any_distance_exactly) {
    BOOST_TEST((q("1e1000000000") + q("1n") - q("1e1000000000") == q("1n")));
    BOOST_TEST(((q("1e2147483647") - q("1")).sign() == 1));
    BOOST_TEST(((q("1") - q("1e2147483647") + q("1e2147483647") - q("1")).sign() == 0));
    BOOST_TEST((q("1e1000") - q("1") < q("1e1000")));
    BOOST_TEST((q("999999999999999999n") + q("1n") == q("1G")));
}

BOOST_AUTO_TEST_CASE(agrees_with_big_integers_on_random_sums) {
    using boost::multiprecision::cpp_int;
    std::mt19937_64 random(7);
    for (int round = 0; round < 2000; ++round) {
        quantity sum;
        cpp_int expected = 0;
        for (int term = 0; term < 8; ++term) {
            const auto exponent = random() % 40;
            const bool negative = random() % 2 == 0;
            const auto digits = std::to_string(random() >> (random() % 64));
            expected += cpp_int((negative ? "-" : "") + digits) *
                        boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent));
            sum += q((negative ? "-" : "") + digits + "e" + std::to_string(exponent));
        }
        BOOST_REQUIRE_EQUAL(sum.sign(), expected.sign());
        const auto text = expected.str();
        BOOST_REQUIRE((sum == q(text)));
    }
}

BOOST_AUTO_TEST_CASE(agrees_with_big_integers_on_binary_suffixes) {
    using boost::multiprecision::cpp_int;
    static constexpr std::string_view suffixes[] = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    const cpp_int max_nano = cpp_int("9223372036854775807") * 1'000'000'000;
    std::mt19937_64 random(11);
    for (int round = 0; round < 2000; ++round) {
        const auto digits = std::to_string(random() >> (random() % 64));
        const auto places = random() % (digits.size() + 1);
        const auto suffix = random() % 6;
        auto text = digits;
        text.insert(digits.size() - places, ".");
        text.append(suffixes[suffix]);
        // In nano-units, rounded up.
        const cpp_int divisor =
            boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(places));
        const cpp_int scaled =
            (cpp_int(digits) << (10 * (static_cast<unsigned>(suffix) + 1))) * 1'000'000'000;
        cpp_int expected = (scaled + divisor - 1) / divisor;
        if (expected > max_nano) expected = max_nano;
        BOOST_TEST_CONTEXT(text) BOOST_REQUIRE((q(text) == q(expected.str() + "n")));
    }
}

BOOST_AUTO_TEST_SUITE_END()
