// The reference's answers over real TLS records, as small as one byte.
#include "reference_vectors.hpp"
#include "running_server.hpp"

#include <boost/test/unit_test.hpp>

using namespace nodesieve;
using namespace nodesieve::test;

namespace {

std::string_view path_of(verb v) { return v == verb::filter ? "/filter" : "/prioritize"; }

void check_all_vectors(std::size_t record_bytes, bool in_chunks) {
    running_server server;
    auto client = server.connect();
    for (auto const& v : reference_vectors()) {
        BOOST_TEST_CONTEXT(v.family << ": " << v.name << ", records of " << record_bytes
                                    << " bytes") {
            std::string request;
            if (in_chunks)
                request = "POST " + std::string(path_of(v.what)) +
                          " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" +
                          chunked(v.body, 100);
            else
                request = request_text("POST", path_of(v.what), v.body);
            client.send(request, record_bytes);
            const auto answer = client.receive();
            BOOST_TEST(disagreement(v, answer.result_int(), answer.body()) == "");
            BOOST_TEST(answer.keep_alive());
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(wire_vectors_test)

BOOST_AUTO_TEST_CASE(agrees_with_every_vector_in_records_of_16384_bytes) {
    check_all_vectors(16384, false);
}
BOOST_AUTO_TEST_CASE(agrees_with_every_vector_in_records_of_7_bytes) {
    check_all_vectors(7, false);
}
BOOST_AUTO_TEST_CASE(agrees_with_every_vector_in_records_of_1_byte) { check_all_vectors(1, false); }
BOOST_AUTO_TEST_CASE(agrees_with_every_vector_in_chunks) { check_all_vectors(16384, true); }
BOOST_AUTO_TEST_CASE(agrees_with_every_vector_in_chunks_and_records_of_7_bytes) {
    check_all_vectors(7, true);
}

BOOST_AUTO_TEST_SUITE_END()
