#include <nodesieve/response_writer.hpp>

#include "bodies.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

using namespace nodesieve;
using nodesieve::test::text;

BOOST_AUTO_TEST_SUITE(response_writer_test)

BOOST_AUTO_TEST_CASE(writes_empty_lists) {
    byte_chunks out;
    filter_result_writer filter(out);
    filter.begin();
    filter.end_nodes();
    filter.end();
    BOOST_TEST(text(out) ==
               R"({"Nodes":{"metadata":{},"items":[]},"NodeNames":null,"FailedNodes":null,)"
               R"("FailedAndUnresolvableNodes":{},"Error":""})");
    out.clear();
    host_priority_writer hosts(out);
    hosts.begin();
    hosts.end();
    BOOST_TEST(text(out) == "[]");
}

BOOST_AUTO_TEST_CASE(separates_elements) {
    byte_chunks out;
    filter_result_writer filter(out);
    filter.begin();
    out.append("{},{ },");
    filter.end_nodes();
    filter.failed("a", "x");
    filter.failed("b", "y");
    filter.end();
    BOOST_TEST(text(out) ==
               R"({"Nodes":{"metadata":{},"items":[{},{ }]},"NodeNames":null,"FailedNodes":null,)"
               R"("FailedAndUnresolvableNodes":{"a":"x","b":"y"},"Error":""})");
    out.clear();
    host_priority_writer hosts(out);
    hosts.begin();
    hosts.host("a", 0);
    hosts.host("b", 10);
    hosts.end();
    BOOST_TEST(text(out) == R"([{"Host":"a","Score":0},{"Host":"b","Score":10}])");
}

BOOST_AUTO_TEST_CASE(escapes_strings_so_that_they_read_back) {
    std::string all = "/\xEB\x85\xB8\xF0\x9F\x98\x80\x7F";
    for (char c = 0; c < 0x7F; ++c) all.push_back(c);
    byte_chunks out;
    append_json_string(out, all);
    BOOST_TEST((boost::json::parse(text(out)).as_string() == all));
    BOOST_TEST(text(out).find('\n') == std::string::npos);
    out.clear();
    append_json_string(out, "");
    BOOST_TEST(text(out) == R"("")");
}

BOOST_AUTO_TEST_SUITE_END()
