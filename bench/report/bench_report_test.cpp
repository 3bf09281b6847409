#include "bench_report.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <sstream>
#include <string>
#include <string_view>

namespace {

using namespace std::chrono_literals;
using namespace nodesieve::bench;
namespace json = boost::json;

load_result answers(int count, std::chrono::nanoseconds each, std::uint64_t reply = 500) {
    load_result result;
    for (int i = 1; i <= count; ++i) result.record_answer(i * each, each, 1000, 600, reply);
    return result;
}

bench_report plain_report() {
    bench_report report;
    report.machine = machine_facts::of_this_one();
    report.setting = {{"nodes", "5"}, {"seed", "1 <&>"}};
    report.body_bytes = 1000;
    report.nodes = 5;
    report.servers = {{"A", "http://127.0.0.1:1/filter", "plain", true, answers(100, 10ms), {}}};
    return report;
}

bench_report comparison_report(double second_round = 1.5) {
    bench_report report = plain_report();
    report.servers.front().round_p50s = {10ms, 10ms};
    report.servers.push_back(
        {"B", "http://127.0.0.1:2/filter", "plain", false, answers(50, 5ms), {5ms, 5ms}});
    report.rounds = 10;
    report.figures = {{"http://127.0.0.1:2/filter", ratio_figure::of({1.5, second_round}, {1, 1})}};
    return report;
}

template <class Write>
std::string text_of(bench_report const& report, Write written) {
    std::ostringstream out;
    written(out, report);
    return out.str();
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(bench_report_)

BOOST_AUTO_TEST_CASE(is_all_right_without_errors) {
    BOOST_TEST(plain_report().all_right());
    BOOST_TEST(comparison_report().all_right());

    bench_report failed = plain_report();
    failed.servers.front().result.record_error(1s, {"timeout", "too slow"});
    BOOST_TEST(!failed.all_right());
    bench_report nothing = plain_report();
    nothing.servers.front().result = {};
    BOOST_TEST(!nothing.all_right());
    bench_report no_figure = comparison_report();
    no_figure.figures.clear();
    BOOST_TEST(!no_figure.all_right());
}

BOOST_AUTO_TEST_CASE(warns_of_what_spoils_a_figure) {
    BOOST_TEST(comparison_report().warnings().empty());

    bench_report few = comparison_report();
    few.rounds = 9;
    BOOST_TEST_REQUIRE(few.warnings().size() == 1U);
    BOOST_TEST(contains(few.warnings()[0], "fewer than 10 rounds"));

    bench_report const unsteady = comparison_report(2.0);
    BOOST_TEST_REQUIRE(unsteady.warnings().size() == 1U);
    BOOST_TEST(contains(unsteady.warnings()[0], "not steady: spread 29 %"));

    bench_report sizes = comparison_report();
    sizes.servers[1].result = answers(5, 5ms, 501);
    BOOST_TEST_REQUIRE(sizes.warnings().size() == 1U);
    BOOST_TEST(contains(sizes.warnings()[0], "from 500 to 501 bytes"));
}

BOOST_AUTO_TEST_CASE(text_has_the_figures) {
    bench_report report = comparison_report();
    report.usage = {process_usage{1'000'000, 2'000'000, 1}, process_usage{1'500'000, 3'000'000, 3}};
    report.servers[1].result.record_error(1s, {"timeout", "reading the answer: too slow"});
    std::string const text = text_of(report, write_text);
    for (char const* part : {"nodes 5 · seed 1 <&>", "10.0 ms", "5.00 ms", "A / B", "1.500",
                             "0.667", "500 B", "timeout", "reading the answer: too slow", "2.00 MB",
                             "2.00 s", "(answers equal, not judged)"})
        BOOST_TEST(contains(text, part), part << " is not in\n" << text);
}

BOOST_AUTO_TEST_CASE(json_is_one_document_in_seconds_and_bytes) {
    bench_report report = comparison_report();
    report.usage = {process_usage{1, 2, 3}, process_usage{4, 5, 6}};
    std::string const text = text_of(report, write_json);
    json::value const document = json::parse(text);
    BOOST_TEST(document.at("all_right").as_bool());
    BOOST_TEST(document.at("nodes").to_number<int>() == 5);
    json::value const& first = document.at("servers").at(0);
    BOOST_TEST(first.at("latency_seconds").at("p50").as_double() == 0.01);
    BOOST_TEST(first.at("latency_seconds").at("p99.9").as_double() == 0.01);
    BOOST_TEST(first.at("right").to_number<int>() == 100);
    BOOST_TEST(first.at("requests_per_second").as_double() == 100.0);
    BOOST_TEST(first.at("nodes_per_second").as_double() == 500.0);
    BOOST_TEST(first.at("round_p50_seconds").as_array().size() == 2U);
    BOOST_TEST(document.at("ratios").at(0).at("median").as_double() == 1.5);
    BOOST_TEST(document.at("ratios").at(0).at("steady").as_bool());
    BOOST_TEST(document.at("process").at("after").at("cpu_seconds").as_double() == 6.0);
    BOOST_TEST(document.at("warnings").as_array().empty());

    json::value const plain = json::parse(text_of(plain_report(), write_json));
    json::value const& slots = plain.at("servers").at(0).at("time_line").at("slots");
    BOOST_TEST(slots.at(1).at("max").as_double() == 0.01);
    BOOST_TEST(!plain.as_object().contains("ratios"));
}

BOOST_AUTO_TEST_CASE(page_stands_alone_and_has_a_table_beside_each_picture) {
    for (bench_report const& report : {plain_report(), comparison_report()}) {
        std::string const page = text_of(report, write_html);
        for (char const* outside : {"src=", "href=", "url(", "@import", "<script"})
            BOOST_TEST(!contains(page, outside), outside);
        BOOST_TEST(contains(page, "1 &lt;&amp;&gt;"));
        std::size_t figures = 0, at = 0;
        while ((at = page.find("<div class=\"figure\">", at)) != page.npos) {
            std::size_t const end = page.find("</section>", at);
            std::string_view const figure = std::string_view(page).substr(at, end - at);
            BOOST_TEST(contains(figure, "role=\"img\""));
            BOOST_TEST(contains(figure, "<table>"));
            BOOST_TEST(!contains(figure, "nan"));
            ++figures;
            at = end;
        }
        BOOST_TEST(figures == (report.compares() ? 2U : 3U));
    }
}

BOOST_AUTO_TEST_CASE(nothing_measured_is_still_shown) {
    for (bench_report report : {plain_report(), comparison_report()}) {
        for (server_report& each : report.servers) {
            each.result = {};
            each.result.record_error(1s, {"connect", "refused"});
            each.round_p50s.clear();
        }
        report.figures.clear();
        for (auto* const written : {write_text, write_json, write_html}) {
            std::string const text = text_of(report, written);
            BOOST_TEST(contains(text, "refused"));
            BOOST_TEST(!contains(text, "nan"));
            BOOST_TEST(!contains(text, "inf,"));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
