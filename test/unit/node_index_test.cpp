#include <nodesieve/node_index.hpp>

#include <boost/test/unit_test.hpp>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace nodesieve;

namespace {

using nodes = std::map<std::string, std::int32_t>;

/// Whether `index` holds these nodes and no others, each at a place of its own.
void check_holds(node_index const& index, nodes const& expected) {
    BOOST_TEST(index.size() == expected.size());
    std::set<std::uint32_t> places;
    for (auto const& [name, memory] : expected) {
        const auto found = index.find(name);
        BOOST_REQUIRE_MESSAGE(found, name << " is missing");
        BOOST_TEST(found->name == name);
        BOOST_TEST(found->memory_mib == memory);
        BOOST_TEST(found->place < index.places());
        places.insert(found->place);
    }
    BOOST_TEST(places.size() == expected.size());
}

std::string name_of(std::size_t i) {
    return "ip-10-0-" + std::to_string(i / 256) + "-" + std::to_string(i % 256) +
           ".eu-west-1.compute.internal";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(node_index_test)

BOOST_AUTO_TEST_CASE(an_empty_index_finds_nothing) {
    const node_index empty;
    BOOST_TEST(empty.size() == 0U);
    BOOST_TEST(!empty.find("a"));
    BOOST_TEST(!empty.find(""));
}

BOOST_AUTO_TEST_CASE(finds_what_was_put_in) {
    node_index_builder builder;
    nodes expected;
    for (std::size_t i = 0; i < 15'000; ++i) {
        expected[name_of(i)] = static_cast<std::int32_t>(i);
        builder.set(name_of(i), static_cast<std::int32_t>(i));
    }
    const auto index = builder.snapshot();
    check_holds(index, expected);
    BOOST_TEST(!index.find(name_of(15'000)));
    BOOST_TEST(!index.find(""));
    BOOST_TEST(!index.find(std::string(100'000, 'x')));
}

BOOST_AUTO_TEST_CASE(follows_any_sequence_of_changes) {
    std::mt19937 random(1);  // NOLINT: the same run every time
    node_index_builder builder;
    nodes expected;
    std::vector<std::pair<node_index, nodes>> earlier;
    for (int step = 0; step < 20'000; ++step) {
        const auto name = name_of(random() % 700);
        if (random() % 3 == 0) {
            builder.erase(name);
            expected.erase(name);
        } else {
            const auto memory = static_cast<std::int32_t>(random() % 1000);
            builder.set(name, memory);
            expected[name] = memory;
        }
        if (step % 1000 == 0) earlier.emplace_back(builder.snapshot(), expected);
    }
    check_holds(builder.snapshot(), expected);
    // What was handed out has not changed since.
    for (auto const& [index, then] : earlier) check_holds(index, then);
}

BOOST_AUTO_TEST_CASE(a_name_outlives_the_builder_and_later_states) {
    node_index kept;
    {
        node_index_builder builder;
        builder.set("a", 1);
        kept = builder.snapshot();
        builder.erase("a");
        BOOST_TEST(!builder.snapshot().find("a"));
    }
    BOOST_TEST(kept.find("a")->name == "a");
}

BOOST_AUTO_TEST_SUITE_END()
