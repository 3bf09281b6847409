#include <nodesieve/byte_chunks.hpp>

#include "bodies.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace nodesieve;
using nodesieve::test::text;

namespace {

constexpr auto chunk = byte_chunks::chunk_bytes;

std::string pattern(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>('a' + i % 23);
    return bytes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(byte_chunks_test)

BOOST_AUTO_TEST_CASE(keeps_what_is_appended_over_chunk_ends) {
    byte_chunks bytes;
    const auto expected = pattern(2 * chunk + 17);
    for (std::size_t at = 0; at < expected.size(); at += 1000)
        bytes.append(std::string_view(expected).substr(at, 1000));
    BOOST_TEST(bytes.size() == expected.size());
    BOOST_TEST((text(bytes) == expected));
}

BOOST_AUTO_TEST_CASE(hands_out_pieces_within_a_chunk) {
    byte_chunks bytes;
    bytes.append(pattern(chunk + 10));
    BOOST_TEST(bytes.piece(0).size() == chunk);
    BOOST_TEST(bytes.piece(chunk - 3).size() == 3U);
    BOOST_TEST(bytes.piece(chunk).size() == 10U);
    BOOST_TEST(bytes.piece(5, 4).size() == 4U);
}

BOOST_AUTO_TEST_CASE(truncates_and_goes_on) {
    byte_chunks bytes;
    bytes.append(pattern(chunk + 10));
    bytes.truncate(3);
    bytes.append("xyz");
    BOOST_TEST(text(bytes) == "abcxyz");
}

BOOST_AUTO_TEST_CASE(moves_overlapping_bytes_down) {
    const auto expected = pattern(3 * chunk);
    for (const std::size_t distance : {std::size_t{1}, std::size_t{1000}, chunk, chunk + 7}) {
        byte_chunks bytes;
        bytes.append(expected);
        bytes.move_down(distance + 5, 5, expected.size() - distance - 5);
        bytes.truncate(expected.size() - distance);
        BOOST_TEST_CONTEXT(distance)
        BOOST_TEST((text(bytes) == expected.substr(0, 5) + expected.substr(distance + 5)));
    }
}

BOOST_AUTO_TEST_CASE(is_empty_when_cleared) {
    byte_chunks bytes;
    bytes.append(pattern(2 * chunk));
    bytes.clear();
    BOOST_TEST(bytes.empty());
    bytes.append("a");
    BOOST_TEST(text(bytes) == "a");
}

BOOST_AUTO_TEST_SUITE_END()
