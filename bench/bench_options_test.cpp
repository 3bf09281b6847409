#include "bench_options.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace nodesieve::bench;

constexpr char const* url = "--url=http://127.0.0.1:1/filter";

bench_options parse(std::vector<char const*> arguments) {
    arguments.insert(arguments.begin(), "nodesieve-bench");
    return bench_options::parse(static_cast<int>(arguments.size()), arguments.data());
}

struct refused_case {
    std::vector<char const*> arguments;
    std::string_view said;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(bench_options_)

BOOST_AUTO_TEST_CASE(defaults_are_a_closed_loop_of_ten_seconds) {
    bench_options const options = parse({url});
    BOOST_TEST(options.servers.size() == 1U);
    BOOST_TEST(!options.compares());
    BOOST_TEST(!options.tls);
    BOOST_TEST(!options.rate);
    BOOST_TEST((options.end.duration == 10s));
    BOOST_TEST(!options.end.count);
    BOOST_TEST(options.warm_up == 1U);
    BOOST_TEST(options.load.connections == 1U);
    BOOST_TEST(options.load.keep_alive);
    BOOST_TEST((options.load.timeout == 30s));
    BOOST_TEST(options.generated.nodes == 5000U);
    BOOST_TEST(options.generated.min_mib.value() == 40960);
    BOOST_TEST(!options.generated.images);
    BOOST_TEST((options.path_verb == bench_options::verb::filter));
    BOOST_TEST(!options.json);
}

BOOST_AUTO_TEST_CASE(takes_every_flag) {
    bench_options const options = parse({"--url",
                                         "https://localhost:8443/prioritize?x=1",
                                         "--ca",
                                         "a",
                                         "--cert",
                                         "b",
                                         "--key",
                                         "c",
                                         "--nodes",
                                         "3",
                                         "--seed",
                                         "18446744073709551615",
                                         "--images",
                                         "0",
                                         "--gpu-percent",
                                         "70",
                                         "--missing-percent",
                                         "1",
                                         "--bad-percent",
                                         "2",
                                         "--min-mib",
                                         "0",
                                         "--names",
                                         "--templates",
                                         "t",
                                         "--connections",
                                         "8",
                                         "--rate",
                                         "0.5",
                                         "--duration",
                                         "1.5m",
                                         "--count",
                                         "9",
                                         "--warm-up",
                                         "0",
                                         "--timeout",
                                         "250ms",
                                         "--no-keep-alive",
                                         "--threads",
                                         "2",
                                         "--pid",
                                         "1",
                                         "--json",
                                         "--report",
                                         "r.html"});
    BOOST_TEST((options.path_verb == bench_options::verb::prioritize));
    BOOST_TEST(options.tls.value().ca == "a");
    BOOST_TEST(options.tls.value().cert.value() == "b");
    BOOST_TEST(options.tls.value().key.value() == "c");
    BOOST_TEST(options.generated.nodes == 3U);
    BOOST_TEST(options.generated.seed == ~std::uint64_t{0});
    BOOST_TEST(options.generated.images.value() == 0U);
    BOOST_TEST(options.generated.gpu_percent.value() == 70U);
    BOOST_TEST(options.generated.missing_percent == 1U);
    BOOST_TEST(options.generated.bad_percent == 2U);
    BOOST_TEST(!options.generated.min_mib);
    BOOST_TEST(options.generated.names_only);
    BOOST_TEST(options.templates == "t");
    BOOST_TEST(options.load.connections == 8U);
    BOOST_TEST(options.load.threads == 2U);
    BOOST_TEST(!options.load.keep_alive);
    BOOST_TEST((options.load.timeout == 250ms));
    BOOST_TEST(options.rate.value() == 0.5);
    BOOST_TEST((options.end.duration == 90s));
    BOOST_TEST(options.end.count.value() == 9U);
    BOOST_TEST(options.warm_up == 0U);
    BOOST_TEST(options.pid.value() == 1);
    BOOST_TEST(options.json);
    BOOST_TEST(options.report.value() == "r.html");
}

BOOST_AUTO_TEST_CASE(a_count_alone_leaves_a_bound_on_time) {
    BOOST_TEST((parse({url, "--count=5"}).end.duration == 1h));
}

BOOST_AUTO_TEST_CASE(a_comparison_keeps_the_order_of_its_servers) {
    bench_options const options =
        parse({url, "--compare-unchecked=http://127.0.0.1:4/",
               "--compare=http://127.0.0.1:2/filter", "--compare=http://127.0.0.1:3/filter"});
    BOOST_TEST(options.compares());
    BOOST_TEST(options.rounds == 10U);
    BOOST_TEST(options.end.count.value() == 3U);
    std::string order;
    for (auto const& each : options.servers)
        order += each.url.port + (each.checked ? " " : " unchecked");
    BOOST_TEST(order == "1 4 unchecked2 3 ");
}

BOOST_AUTO_TEST_CASE(the_last_of_a_repeated_flag_counts) {
    bench_options const options =
        parse({"--nodes=1", url, "--nodes", "2", "--json", "--nodes=3", "--json"});
    BOOST_TEST(options.generated.nodes == 3U);
    BOOST_TEST(options.json);
}

BOOST_AUTO_TEST_CASE(any_path_goes_with_a_body_from_a_file) {
    bench_options const options = parse({"--url=http://[::1]:1", "--body=b.json"});
    BOOST_TEST(options.body_file.value() == "b.json");
    BOOST_TEST(options.servers.front().url.path == "/");
}

BOOST_AUTO_TEST_CASE(help_needs_nothing_else) {
    BOOST_TEST(parse({"--help"}).help);
    BOOST_TEST((bench_options::help_text().find("--compare-unchecked") != std::string::npos));
}

BOOST_AUTO_TEST_CASE(refuses_with_one_line_that_names_the_flag) {
    for (auto const& [arguments, said] : {
             refused_case{{}, "--url is missing"},
             refused_case{{"--url=ftp://127.0.0.1/filter"}, "--url: not http"},
             refused_case{{"--url=http://127.0.0.1:1/score"}, "/score: not /filter"},
             refused_case{{url, "--compare=http://127.0.0.1:2/prioritize"}, "/prioritize: not"},
             refused_case{{"--url=https://localhost:1/filter"}, "--ca is missing"},
             refused_case{{url, "--cert=x"}, "--cert and --key belong together"},
             refused_case{{url, "--nodes=0"}, "--nodes: 0 is not in 1..1000000"},
             refused_case{{url, "--nodes=-1"}, "--nodes: -1"},
             refused_case{{url, "--nodes=many"}, "--nodes"},
             refused_case{{url, "--missing-percent=60", "--bad-percent=41"}, "exceed 100"},
             refused_case{{url, "--min-mib=1048577"}, "--min-mib: 1048577"},
             refused_case{{url, "--images=1001"}, "--images"},
             refused_case{{url, "--body=b", "--nodes=5"}, "--body and --nodes exclude"},
             refused_case{{url, "--connections=0"}, "--connections: 0"},
             refused_case{{url, "--duration=10"}, "--duration: 10 is not a duration"},
             refused_case{{url, "--duration=0s"}, "--duration: 0s"},
             refused_case{{url, "--duration=61m"}, "--duration: 61m"},
             refused_case{{url, "--duration=nans"}, "--duration: nans"},
             refused_case{{url, "--rate=0"}, "--rate"},
             refused_case{{url, "--rate=nan"}, "--rate"},
             refused_case{{url, "--rounds=20"}, "--rounds goes with --compare"},
             refused_case{{url, "--compare=http://[::1]:2/filter", "--rate=5"}, "a comparison"},
             refused_case{{url, "--compare=http://[::1]:2/filter", "--duration=5s"},
                          "a comparison"},
             refused_case{{url, "--pid=0"}, "--pid: 0"},
             refused_case{{url, "--verbose"}, "verbose"},
             refused_case{{url, "--node=5"}, "node"},
             refused_case{{url, "extra"}, "positional"},
         }) {
        BOOST_TEST_CONTEXT(said) {
            BOOST_CHECK_EXCEPTION(parse(arguments), usage_error, [said = said](auto const& error) {
                std::string_view const text = error.what();
                BOOST_TEST_INFO(text);
                return text.find(said) != text.npos && text.find('\n') == text.npos;
            });
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(http_url_)

BOOST_AUTO_TEST_CASE(has_its_parts) {
    http_url const full = http_url::parse("http://[::1]:8080/a/b?c");
    BOOST_TEST(!full.tls);
    BOOST_TEST(full.host == "::1");
    BOOST_TEST(full.port == "8080");
    BOOST_TEST(full.authority == "[::1]:8080");
    BOOST_TEST(full.path == "/a/b?c");
    BOOST_TEST(full.text() == "http://[::1]:8080/a/b?c");
    http_url const least = http_url::parse("https://h");
    BOOST_TEST(least.tls);
    BOOST_TEST(least.port == "443");
    BOOST_TEST(least.path.empty());
}

BOOST_AUTO_TEST_CASE(refuses_another_shape) {
    for (char const* text : {"", "h", "ftp://h", "https://", "https://:1", "https://h:",
                             "https://h:x", "https://[::1", "https://[::1]x", "http://h/a b"})
        BOOST_TEST_CONTEXT(text) BOOST_CHECK_THROW(http_url::parse(text), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
