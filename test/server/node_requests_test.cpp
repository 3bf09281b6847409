#include "node_requests.hpp"

#include <boost/test/unit_test.hpp>

namespace nodesieve::server {
namespace {

BOOST_AUTO_TEST_SUITE(node_requests_test)

BOOST_AUTO_TEST_CASE(asks_for_pages) {
    const auto first = list_request("", true);
    BOOST_TEST(first.target == "/api/v1/nodes?limit=500");
    BOOST_TEST(first.accept == "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    const auto next = list_request("aZ0-._~ +/=&\xff", false);
    BOOST_TEST(next.target == "/api/v1/nodes?limit=500&continue=aZ0-._~%20%2B%2F%3D%26%FF");
    BOOST_TEST(next.accept == "application/json");
}

BOOST_AUTO_TEST_CASE(asks_for_a_watch_with_bookmarks) {
    const auto watch = watch_request("4711", std::chrono::seconds(300), true);
    BOOST_TEST(watch.target ==
               "/api/v1/nodes?watch=1&allowWatchBookmarks=true&resourceVersion=4711"
               "&timeoutSeconds=300");
    BOOST_TEST(watch.accept == "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    BOOST_TEST(watch_request("4711", std::chrono::seconds(300), false).accept ==
               "application/json");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace nodesieve::server
