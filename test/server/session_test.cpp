// One connection of the extender's port, over real TLS on the loopback unless a test says plain.
#include "bodies.hpp"
#include "running_server.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

using namespace nodesieve;
using namespace nodesieve::test;
using namespace std::chrono_literals;

namespace {

std::string node(std::string const& name, std::string const& memory) {
    return R"({"metadata":{"name":")" + name +
           R"(","labels":{"training.example.com/gpu-memory-mib":")" + memory + R"("}}})";
}

std::string args(std::string const& minimum, std::string const& items) {
    return R"({"Pod":{"metadata":{"namespace":"team","name":"p","annotations":)"
           R"({"training.example.com/min-gpu-memory-mib":")" +
           minimum +
           R"("}},"spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":"1"}}}]}},)" +
           R"("Nodes":{"items":[)" + items + "]}}";
}

const std::string good_args = args("7", node("a", "9") + "," + node("b", "5"));
const std::string good_reply =
    R"({"Nodes":{"metadata":{},"items":[)" + node("a", "9") +
    R"(]},"NodeNames":null,"FailedNodes":null,"FailedAndUnresolvableNodes":)"
    R"({"b":"GPU memory label is below the required minimum"},"Error":""})";

std::string first_line(std::string const& text) { return text.substr(0, text.find('\n')); }

server::options plain_options() {
    auto settings = test_options(shared_certificates());
    settings.insecure_http = true;
    return settings;
}

void check_serves(wire_client& client) {
    client.send(request_text("POST", "/filter", good_args));
    BOOST_TEST(client.receive().body() == good_reply);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(session_test)

BOOST_AUTO_TEST_CASE(answers_filter_and_prioritize_on_one_connection) {
    running_server server;
    auto client = server.connect();
    for (int round = 0; round < 3; ++round) {
        client.send(request_text("POST", "/filter", good_args));
        const auto filtered = client.receive();
        BOOST_TEST(filtered.result_int() == 200U);
        BOOST_TEST(filtered["Content-Type"] == "application/json");
        BOOST_TEST(filtered.count("Date") == 1U);
        BOOST_TEST(filtered.keep_alive());
        BOOST_TEST(filtered.body() == good_reply);
        client.send(request_text("POST", "/prioritize?timeout=5s", good_args));
        BOOST_TEST(client.receive().body() == R"([{"Host":"a","Score":0},{"Host":"b","Score":0}])");
    }
}

BOOST_AUTO_TEST_CASE(speaks_tls_1_2) {
    running_server server;
    auto client = server.connect(TLS1_2_VERSION);
    check_serves(client);
}

BOOST_AUTO_TEST_CASE(answers_plain_http_when_told_to) {
    running_server server(plain_options());
    auto client = server.connect_plain();
    check_serves(client);
}

BOOST_AUTO_TEST_CASE(answers_captured_requests_byte_for_byte) {
    running_server server;
    auto client = server.connect();
    const auto body = test_data("requests/filter-min15000.json");
    const auto expected = run(verb::filter, body).reply;
    const auto head = test_data("requests/filter.head.txt");
    client.send(head.substr(0, head.find("Content-Length")));  // as kube-scheduler writes it
    client.send("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    BOOST_TEST((client.receive().body() == expected));
}

BOOST_AUTO_TEST_CASE(refuses_clients_without_a_good_certificate_before_any_http) {
    running_server server;
    const auto& good = shared_certificates();
    const auto other_ca = self_signed(authority_spec("other CA"));
    auto expired_spec = client_spec();
    expired_spec.not_after = -1min;
    const std::optional<identity> clients[] = {std::nullopt, issue(client_spec(), other_ca),
                                               issue(expired_spec, good.ca),
                                               self_signed(client_spec())};
    for (auto const& identity : clients) {
        for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
            const auto attempt = [&] {
                wire_client client(server->address(), good.ca, identity, version);
                client.send(request_text("POST", "/filter", good_args));
                (void)client.receive();
            };
            BOOST_CHECK_THROW(attempt(), std::runtime_error);
        }
    }
    BOOST_TEST(server.metric("nodesieve_tls_handshake_failures_total") == "8");
    BOOST_TEST(server.log_text().find("TLS handshake failed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(tells_a_peer_that_speaks_no_tls) {
    running_server server;
    auto client = server.connect_plain();
    client.send(request_text("GET", "/healthz", {}));
    BOOST_TEST(client.receive_some().starts_with("HTTP/1.1 400 Bad Request\r\n"));
    BOOST_TEST(client.is_closed());
    auto next = server.connect();
    check_serves(next);
}

BOOST_AUTO_TEST_CASE(answers_pipelined_requests_in_order) {
    running_server server;
    auto client = server.connect();
    std::string requests;
    for (int i = 0; i < 20; ++i)
        requests += request_text("POST", i % 2 == 0 ? "/filter" : "/prioritize",
                                 args("7", node("n" + std::to_string(i), "9")));
    client.send(requests);
    for (int i = 0; i < 20; ++i)
        BOOST_TEST(client.receive().body().find("\"n" + std::to_string(i) + "\"") !=
                   std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_request_that_is_not_http_ends_the_connection_behind_the_answers_before_it) {
    running_server server;
    auto client = server.connect();
    client.send(request_text("POST", "/filter", good_args) + "nonsense\r\n\r\n" +
                request_text("POST", "/filter", good_args));
    BOOST_TEST(client.receive().result_int() == 200U);
    const auto refused = client.receive();
    BOOST_TEST(refused.result_int() == 400U);
    BOOST_TEST(!refused.keep_alive());
    BOOST_TEST(client.is_closed());
}

BOOST_AUTO_TEST_CASE(tells_404_from_405) {
    running_server server;
    auto client = server.connect();
    struct row {
        std::string_view method, target;
        unsigned status;
    };
    static constexpr row rows[] = {{"GET", "/filter", 405},   {"PUT", "/prioritize", 405},
                                   {"HEAD", "/filter", 405},  {"OPTIONS", "/filter", 405},
                                   {"POST", "/filter/", 404}, {"POST", "//filter", 404},
                                   {"POST", "/FILTER", 404},  {"GET", "/metrics", 404},
                                   {"OPTIONS", "*", 404},     {"POST", "/preempt/", 404}};
    for (auto const& r : rows) {
        BOOST_TEST_CONTEXT(r.method << ' ' << r.target) {
            client.send(request_text(r.method, r.target, r.method == "POST" ? "{}" : ""));
            const auto answer = client.receive(r.method == "HEAD");
            BOOST_TEST(answer.result_int() == r.status);
            BOOST_TEST(answer["Allow"] == (r.status == 405 ? "POST" : ""));
            BOOST_TEST(answer.keep_alive());
        }
    }
    check_serves(client);
    BOOST_TEST(server.metric(R"(nodesieve_requests_total{code="404",verb="none"})") == "6");
}

BOOST_AUTO_TEST_CASE(a_refusal_is_the_references_sentence_and_a_line_that_helps) {
    running_server server;
    auto client = server.connect();
    client.send(request_text("POST", "/filter", args("16Gi", node("a", "9"))));
    const auto answer = client.receive();
    BOOST_TEST(answer.result_int() == 400U);
    BOOST_TEST(answer["Content-Type"] == "text/plain; charset=utf-8");
    BOOST_TEST(answer["X-Content-Type-Options"] == "nosniff");
    BOOST_TEST(answer.body() ==
               "minimum GPU memory must be 1..1048576 MiB\n"
               "the Pod's annotation training.example.com/min-gpu-memory-mib is no integer in that "
               "range: write plain digits\n");
    check_serves(client);

    const auto line = boost::json::parse(first_line(server.log_text().substr(0)));
    BOOST_TEST(line.at("reason").as_string() == "invalid_minimum");
    BOOST_TEST(line.at("namespace").as_string() == "team");
    BOOST_TEST(line.at("pod").as_string() == "p");
    BOOST_TEST(line.at("verb").as_string() == "filter");
    BOOST_TEST(server.metric(
                   R"(nodesieve_refusals_total{reason="invalid_minimum",verb="filter"})") == "1");
    BOOST_TEST(server.metric(R"(nodesieve_requests_total{code="400",verb="filter"})") == "1");
}

BOOST_AUTO_TEST_CASE(an_invalid_pod_is_unschedulable_when_told_so) {
    auto settings = test_options(shared_certificates());
    settings.invalid_pod = invalid_pod_answer::unschedulable;
    running_server server(settings);
    auto client = server.connect();
    client.send(request_text("POST", "/filter", args("x", node("a", "9"))));
    const auto answer = client.receive();
    BOOST_TEST(answer.result_int() == 200U);
    BOOST_TEST(answer.body().find(R"({"a":"minimum GPU memory must be 1..1048576 MiB"})") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(refuses_a_content_length_above_the_limit_before_the_body) {
    auto settings = test_options(shared_certificates());
    settings.limits.max_body_bytes = 1000;
    running_server server(settings);
    for (const auto* expect : {"", "Expect: 100-continue\r\n"}) {
        auto client = server.connect();
        client.send("POST /filter HTTP/1.1\r\nHost: a\r\n" + std::string(expect) +
                    "Content-Length: 1001\r\n\r\n");
        const auto answer = client.receive();
        BOOST_TEST(answer.result_int() == 413U);
        BOOST_TEST(first_line(answer.body()) == "invalid or oversized extender request");
        BOOST_TEST(answer.body().find("--max-body-bytes") != std::string::npos);
        BOOST_TEST(!answer.keep_alive());
    }
}

BOOST_AUTO_TEST_CASE(the_body_limit_is_the_same_in_both_framings) {
    auto settings = test_options(shared_certificates());
    settings.limits.max_body_bytes = good_args.size() + 1;
    running_server server(settings);
    const std::string chunked_head =
        "POST /filter HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const std::size_t spaces : {0U, 1U, 2U}) {
        const auto body = good_args + std::string(spaces, ' ');
        const unsigned expected = spaces < 2 ? 200 : 413;
        auto client = server.connect();
        client.send(request_text("POST", "/filter", body));
        BOOST_TEST(client.receive().result_int() == expected);
        auto other = server.connect();
        other.send(chunked_head + chunked(body, 50));
        BOOST_TEST(other.receive().result_int() == expected);
    }
}

BOOST_AUTO_TEST_CASE(a_refusal_arrives_although_the_peer_is_still_sending) {
    auto settings = test_options(shared_certificates());
    settings.limits.max_body_bytes = 1000;
    running_server server(settings);
    auto client = server.connect();
    client.send(request_text("POST", "/filter", std::string(1'000'000, ' ')));
    BOOST_TEST(client.receive().result_int() == 413U);
}

BOOST_AUTO_TEST_CASE(keeps_the_connection_behind_a_malformed_body) {
    running_server server;
    auto client = server.connect();
    client.send(request_text("POST", "/filter", "x" + std::string(500'000, ' ')));
    BOOST_TEST(client.receive().result_int() == 400U);
    check_serves(client);
}

BOOST_AUTO_TEST_CASE(says_continue_before_it_reads_a_body_that_waits_for_it) {
    running_server server;
    auto client = server.connect();
    client.send("POST /filter HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: " +
                std::to_string(good_args.size()) + "\r\n\r\n");
    BOOST_TEST(client.receive_some() == "HTTP/1.1 100 Continue\r\n\r\n");
    client.send(good_args);
    BOOST_TEST(client.receive().body() == good_reply);
}

BOOST_AUTO_TEST_CASE(refuses_requests_that_can_be_read_in_two_ways) {
    running_server server;
    for (const std::string fields :
         {"Host: a\r\nTransfer-Encoding: gzip\r\nContent-Length: 3\r\n",
          "Host: a\r\nContent-Length: 3\r\nTransfer-Encoding: gzip\r\n",
          "Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n",
          "Host: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n",
          "Host: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n",
          "Host: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n",
          "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
          "Host: a\r\nTransfer-Encoding: chunked, chunked\r\n",
          "Host: a\r\nTransfer-Encoding: xchunked\r\n",
          "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n", "Host : a\r\nContent-Length: 3\r\n",
          "Host: a\r\nContent-Length: -3\r\n", "Host: a\r\nContent-Length: 3x\r\n",
          "Content-Length: 3\r\n", "Host: a\r\nHost: b\r\nContent-Length: 3\r\n",
          "Host: a b\r\nContent-Length: 3\r\n", "Host: a\r\nContent-Length: 3, 3\r\n",
          "Host: a\r\nX: y\r\n z\r\nContent-Length: 3\r\n",
          "Host: a\r\nContent-Length:\r\n\t3\r\n"}) {
        BOOST_TEST_CONTEXT(fields) {
            auto client = server.connect();
            client.send("POST /filter HTTP/1.1\r\n" + fields + "\r\nabc" +
                        request_text("POST", "/filter", good_args));
            const auto answer = client.receive();
            BOOST_TEST(answer.result_int() == 400U);
            BOOST_TEST(!answer.keep_alive());
            BOOST_TEST(client.is_closed());
        }
    }
}

BOOST_AUTO_TEST_CASE(bounds_the_framing_of_chunks) {
    running_server server;
    const std::string head =
        "POST /filter HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (auto const& framing : std::initializer_list<std::string>{
             "5;x=" + std::string(100'000, 'x'), std::string(100'000, '0'),
             "0\r\nX: " + std::string(100'000, 'x'), "zz\r\n" + std::string(100, 'x')}) {
        auto client = server.connect();
        client.send(head + framing);
        BOOST_TEST(client.receive().result_int() == 400U);
        BOOST_TEST(client.is_closed());
    }
    BOOST_TEST(server.metric(R"(nodesieve_refusals_total{reason="bad_chunk",verb="filter"})") ==
               "4");
}

BOOST_AUTO_TEST_CASE(ignores_empty_lines_before_a_request) {
    running_server server;
    auto client = server.connect();
    client.send("\r\n\r\n" + request_text("POST", "/filter", good_args));
    BOOST_TEST(client.receive().body() == good_reply);
}

BOOST_AUTO_TEST_CASE(answers_404_although_the_body_does_not_come) {
    running_server server;
    auto client = server.connect();
    client.send("POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n");
    BOOST_TEST(client.receive().result_int() == 404U);
    client.send("0123456789");
    check_serves(client);
}

BOOST_AUTO_TEST_CASE(answers_large_bodies_with_the_help_of_other_threads) {
    running_server server;
    auto client = server.connect();
    std::string items;
    for (int i = 0; i < 3000; ++i)
        items += (i > 0 ? "," : "") + std::string(R"({"metadata":{"name":"n)") + std::to_string(i) +
                 R"(","labels":{"training.example.com/gpu-memory-mib":")" + std::to_string(i % 11) +
                 R"("}},"status":")" + std::string(1000, 'x') + R"("})";
    const auto body = args("7", items);
    for (int round = 0; round < 20; ++round) {
        const auto v = round % 2 == 0 ? verb::filter : verb::prioritize;
        client.send(request_text("POST", v == verb::filter ? "/filter" : "/prioritize", body));
        BOOST_REQUIRE((client.receive().body() == run(v, body).reply));
    }
    for (const std::size_t at : {std::size_t{5}, body.size() / 2, body.size() - 5}) {
        auto broken = body;
        broken[at] = '\x01';
        client.send(request_text("POST", "/filter", broken));
        const auto answer = client.receive();
        BOOST_TEST(answer.result_int() == 400U);
        BOOST_TEST(answer.body() == std::string(sentence(errc::malformed_request)) + "\n" +
                                        run(verb::filter, broken).detail + "\n");
    }
    check_serves(client);
}

BOOST_AUTO_TEST_CASE(every_refusal_has_a_line_in_the_log_and_a_reason_that_counts) {
    auto settings = test_options(shared_certificates());
    settings.timeouts.header = 50ms;
    running_server server(settings);
    const std::pair<std::string, std::string> rows[] = {
        {"nonsense\r\n\r\n", "bad_request"},
        {"POST /filter HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "bad_request"},
        {"POST /fil", "header_timeout"},
        {"POST /filter HTTP/1.1\r\nX: " + std::string(20'000, 'x'), "header_too_large"},
        {request_text("POST", "/other", "{}"), "not_found"},
        {request_text("GET", "/filter", ""), "method_not_allowed"}};
    for (auto const& [text, reason] : rows) {
        auto client = server.connect();
        client.send(text);
        BOOST_TEST(client.receive().result_int() >= 400U);
        BOOST_TEST_CONTEXT(reason) {
            BOOST_TEST(server.log_text().find("\"reason\":\"" + reason + '"') != std::string::npos);
            BOOST_TEST(server.metric("nodesieve_refusals_total{reason=\"" + reason +
                                     "\",verb=\"none\"}") != "0");
        }
    }
}

BOOST_AUTO_TEST_CASE(honours_connection_close_and_http_1_0) {
    running_server server;
    for (const std::string head : {"POST /filter HTTP/1.1\r\nHost: a\r\nConnection: close\r\n",
                                   "POST /filter HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n",
                                   "POST /filter HTTP/1.0\r\n"}) {
        BOOST_TEST_CONTEXT(head) {
            auto client = server.connect();
            client.send(head + "Content-Length: " + std::to_string(good_args.size()) + "\r\n\r\n" +
                        good_args);
            const auto answer = client.receive();
            BOOST_TEST(answer.body() == good_reply);
            BOOST_TEST(!answer.keep_alive());
            BOOST_TEST(client.is_closed());
        }
    }
}

BOOST_AUTO_TEST_CASE(refuses_a_header_above_its_limit) {
    running_server server;
    auto client = server.connect();
    client.send("POST /filter HTTP/1.1\r\nHost: a\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n");
    BOOST_TEST(client.receive().result_int() == 431U);
    BOOST_TEST(client.is_closed());
}

BOOST_AUTO_TEST_CASE(each_timeout_ends_its_own_wait) {
    struct row {
        std::string_view what;
        std::chrono::milliseconds server::timeouts::*timeout;
        std::string sent;
        unsigned status;  // 0: closed without an answer
    };
    const row rows[] = {
        {"idle", &server::timeouts::idle, "", 0},
        {"header", &server::timeouts::header, "POST /filter HT", 408},
        {"read", &server::timeouts::read,
         "POST /filter HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{", 408},
    };
    for (auto const& r : rows) {
        BOOST_TEST_CONTEXT(r.what) {
            auto settings = test_options(shared_certificates());
            settings.timeouts.*r.timeout = 50ms;
            running_server server(settings);
            auto client = server.connect();
            if (!r.sent.empty()) client.send(r.sent);
            if (r.status != 0) BOOST_TEST(client.receive().result_int() == r.status);
            BOOST_TEST(client.is_closed());
        }
    }
}

BOOST_AUTO_TEST_CASE(a_peer_that_starts_no_tls_is_let_go_after_the_handshake_timeout) {
    auto settings = test_options(shared_certificates());
    settings.timeouts.handshake = 50ms;
    running_server server(settings);
    auto client = server.connect_plain();
    BOOST_TEST(client.is_closed());
    BOOST_TEST(server.metric("nodesieve_tls_handshake_failures_total") == "1");
}

BOOST_AUTO_TEST_CASE(a_peer_that_reads_no_answer_is_let_go_after_the_write_timeout) {
    auto settings = plain_options();
    settings.timeouts.write = 50ms;
    running_server server(settings);
    auto client = server.connect_plain();
    std::string items;
    for (int i = 0; i < 200; ++i)
        items +=
            (i > 0 ? "," : "") + node("n" + std::to_string(i) + std::string(100'000, 'x'), "9");
    client.send(request_text("POST", "/filter", args("7", items)));
    auto watcher = server.connect_plain();
    check_serves(watcher);
    while (server.metric("nodesieve_open_connections") != "1") {
    }  // bounded by the test's timeout
}

BOOST_AUTO_TEST_CASE(lives_through_peers_that_leave_at_any_time) {
    running_server server;
    const auto request = request_text("POST", "/filter", good_args);
    for (std::size_t sent = 0; sent <= request.size(); sent += 97) {
        auto client = server.connect();
        client.send(std::string_view(request).substr(0, sent));
        client.reset();
    }
    auto client = server.connect();
    check_serves(client);
}

BOOST_AUTO_TEST_CASE(counts_what_it_answers) {
    running_server server;
    auto client = server.connect();
    check_serves(client);
    client.send(request_text("POST", "/prioritize", good_args));
    (void)client.receive();
    BOOST_TEST(server.metric(R"(nodesieve_requests_total{code="200",verb="filter"})") == "1");
    BOOST_TEST(server.metric(R"(nodesieve_requests_total{code="200",verb="prioritize"})") == "1");
    BOOST_TEST(server.metric(R"(nodesieve_filtered_nodes_total{verdict="fits"})") == "1");
    BOOST_TEST(server.metric(R"(nodesieve_filtered_nodes_total{verdict="below_minimum"})") == "1");
    BOOST_TEST(server.metric(R"(nodesieve_request_duration_seconds_count{verb="filter"})") == "1");
    BOOST_TEST(server.metric(R"(nodesieve_last_request_timestamp_seconds{verb="filter"})") != "0");
    BOOST_TEST(server.metric("nodesieve_open_connections") == "1");
}

BOOST_AUTO_TEST_SUITE_END()
