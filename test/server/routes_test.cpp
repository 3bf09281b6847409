#include "routes.hpp"

#include <boost/test/unit_test.hpp>

using namespace nodesieve;
using namespace nodesieve::server;

BOOST_AUTO_TEST_SUITE(routes_test)

BOOST_AUTO_TEST_CASE(finds_a_verb_by_the_path_of_the_target) {
    struct row {
        std::string_view target;
        std::string_view path;  // empty: none
    };
    static constexpr row rows[] = {
        {"/filter", "/filter"},
        {"/filter?timeout=5s", "/filter"},
        {"http://example.com/filter", "/filter"},
        {"https://example.com:8443/prioritize?x", "/prioritize"},
        {"/prioritize", "/prioritize"},
        {"/filter/", {}},
        {"//filter", {}},
        {"/FILTER", {}},
        {"/scheduler/filter", {}},
        {"/%66ilter", {}},
        {"filter", {}},
        {"http://example.com", {}},
        {"example.com:443", {}},
        {"*", {}},
        {"/", {}},
        {"", {}},
    };
    for (auto const& r : rows) {
        BOOST_TEST_CONTEXT(r.target) {
            const auto* found = find_route(r.target);
            BOOST_TEST((found == nullptr ? std::string_view{} : found->path) == r.path);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
