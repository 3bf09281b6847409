#include "endpoint_address.hpp"

#include <boost/test/unit_test.hpp>

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nodesieve::server {
namespace {

/// What is said about the text, or "" if it is accepted.
std::string error_of(std::string_view text) {
    try {
        static_cast<void>(to_endpoint(parse_endpoint_address(text)));
    } catch (std::invalid_argument const& error) {
        return error.what();
    }
    return "";
}

std::string text_of(auto const& printable) {
    std::ostringstream out;
    out << printable;
    return out.str();
}

BOOST_AUTO_TEST_SUITE(endpoint_address_test)

BOOST_AUTO_TEST_CASE(reads_and_converts_addresses) {
    struct {
        std::string_view text;
        endpoint_address parsed;
        std::string_view endpoint;
        bool loopback;
    } const cases[] = {
        {":8443", {"", 8443}, "[::]:8443", false},
        {":0", {"", 0}, "[::]:0", false},
        {":65535", {"", 65535}, "[::]:65535", false},
        {"0.0.0.0:80", {"0.0.0.0", 80}, "0.0.0.0:80", false},
        {"10.1.2.3:80", {"10.1.2.3", 80}, "10.1.2.3:80", false},
        {"127.0.0.1:80", {"127.0.0.1", 80}, "127.0.0.1:80", true},
        {"127.255.0.9:80", {"127.255.0.9", 80}, "127.255.0.9:80", true},
        {"128.0.0.1:80", {"128.0.0.1", 80}, "128.0.0.1:80", false},
        {"localhost:80", {"localhost", 80}, "127.0.0.1:80", true},
        {"[::1]:80", {"::1", 80}, "[::1]:80", true},
        {"[::]:80", {"::", 80}, "[::]:80", false},
        {"[2001:db8::1]:80", {"2001:db8::1", 80}, "[2001:db8::1]:80", false},
    };
    for (auto const& c : cases) BOOST_TEST_CONTEXT(c.text) {
            const auto parsed = parse_endpoint_address(c.text);
            BOOST_TEST(parsed == c.parsed);
            BOOST_TEST(text_of(parsed) == c.text);
            BOOST_TEST(text_of(to_endpoint(parsed)) == c.endpoint);
            BOOST_TEST(is_loopback(parsed) == c.loopback);
        }
}

BOOST_AUTO_TEST_CASE(says_what_was_expected) {
    constexpr std::string_view form = "expected HOST:PORT, :PORT or [IPV6]:PORT";
    constexpr std::string_view port = "expected a port from 0 to 65535 after the last colon";
    constexpr std::string_view brackets =
        "expected brackets around an IPv6 address, as in [::1]:8443";
    constexpr std::string_view no_brackets = "expected an IPv6 address between the brackets";
    constexpr std::string_view numeric =
        "expected a numeric address, localhost or no host, because names are not looked up";
    struct {
        std::string_view text, expected;
    } const cases[] = {
        {"", form},
        {"8443", form},
        {"localhost", form},
        {":", port},
        {":65536", port},
        {":-1", port},
        {":+1", port},
        {": 1", port},
        {":1 ", port},
        {":https", port},
        {"127.0.0.1:99999999999999999999", port},
        {"::1", brackets},
        {"::1:8443", brackets},
        {"[::1]", brackets},
        {"[::1:8443", brackets},
        {"[]:1", no_brackets},
        {"[127.0.0.1]:1", no_brackets},
        {"example.com:1", numeric},
        {"LOCALHOST:1", numeric},
        {"127.1:1", numeric},
        {"256.0.0.1:1", numeric},
        {"*:1", numeric},
        {"[::g]:1", numeric},
    };
    for (auto const& c : cases) BOOST_TEST_CONTEXT(c.text) {
            BOOST_TEST(error_of(c.text) == c.expected);
        }
}

BOOST_AUTO_TEST_CASE(takes_no_name_for_loopback) {
    BOOST_TEST(!is_loopback({"example.com", 1}));
    BOOST_TEST(!is_loopback({"", 1}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace nodesieve::server
