#include "bench_options.hpp"

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>

namespace nodesieve::bench {

namespace po = boost::program_options;

namespace {

using std::chrono::nanoseconds;

constexpr auto longest_load = std::chrono::hours(1);
constexpr std::uint64_t most_requests = 1'000'000'000;
constexpr std::uint64_t default_turn = 3;
constexpr unsigned help_columns = 100;

// What stands on the command line, before it is judged. Whole numbers are signed, since
// program_options would take -1 for a very large unsigned one.
struct raw_options {
    std::string url, ca, cert, key, body, templates, duration, timeout, report;
    std::vector<std::pair<std::string, std::string>> compared;  // flag and URL, in their order
    std::int64_t nodes = 0, missing_percent = 0, bad_percent = 0, gpu_percent = 0, images = 0,
                 min_mib = 0, connections = 0, threads = 0, count = 0, warm_up = 0, rounds = 0,
                 pid = 0;
    std::uint64_t seed = 0;
    double rate = 0;
};

po::options_description description(raw_options& raw) {
    po::options_description all(help_columns);
    // clang-format off
    po::options_description server("Server", help_columns);
    server.add_options()
        ("url", po::value(&raw.url)->value_name("URL"), "http[s]://HOST:PORT/filter or /prioritize, on loopback")
        ("ca", po::value(&raw.ca)->value_name("FILE"), "CA of the servers' certificates, PEM; needed for https")
        ("cert", po::value(&raw.cert)->value_name("FILE"), "client certificate, PEM")
        ("key", po::value(&raw.key)->value_name("FILE"), "its key, PEM")
        ("pid", po::value(&raw.pid)->value_name("PID"), "the server's process: prints its memory and CPU time");
    po::options_description body("Body", help_columns);
    body.add_options()
        ("nodes", po::value(&raw.nodes)->value_name("N")->default_value(5000), "nodes of a generated body")
        ("seed", po::value(&raw.seed)->value_name("N")->default_value(1), "what it is made from")
        ("images", po::value(&raw.images)->value_name("N"), "images a node, on average: steers its size; otherwise those of the templates")
        ("gpu-percent", po::value(&raw.gpu_percent)->value_name("%"), "share of nodes that have GPUs; otherwise that of the templates")
        ("missing-percent", po::value(&raw.missing_percent)->value_name("%")->default_value(20), "share of nodes without the memory label")
        ("bad-percent", po::value(&raw.bad_percent)->value_name("%")->default_value(10), "share of nodes with an invalid one")
        ("min-mib", po::value(&raw.min_mib)->value_name("MIB")->default_value(40960), "what the Pod asks for; 0: nothing")
        ("names", "names instead of whole nodes (nodeCacheCapable)")
        ("templates", po::value(&raw.templates)->value_name("DIR")->default_value("test/data/nodes"), "folder with node-*.json")
        ("body", po::value(&raw.body)->value_name("FILE"), "a file instead: answers must be equal to the first one");
    po::options_description load("Load", help_columns);
    load.add_options()
        ("connections", po::value(&raw.connections)->value_name("N")->default_value(1), "each sends its next request when it has the answer")
        ("rate", po::value(&raw.rate)->value_name("R"), "requests a second, whatever the server does; latency counts from the intended start")
        ("duration", po::value(&raw.duration)->value_name("TIME"), "such as 500ms, 10s, 2m, at most 1h [10s, without --count]")
        ("count", po::value(&raw.count)->value_name("N"), "requests in all; in a comparison, of each turn [3]")
        ("warm-up", po::value(&raw.warm_up)->value_name("N")->default_value(1), "requests on each connection that do not count")
        ("timeout", po::value(&raw.timeout)->value_name("TIME")->default_value("30s"), "of a request, from its intended start")
        ("no-keep-alive", "a connection for each request")
        ("threads", po::value(&raw.threads)->value_name("N")->default_value(1), "client threads that share the connections");
    po::options_description comparison("Comparison", help_columns);
    comparison.add_options()
        ("compare", po::value<std::vector<std::string>>()->value_name("URL"), "another server, called in turn with --url; its verdicts are checked, not the bytes of nodes; may repeat")
        ("compare-unchecked", po::value<std::vector<std::string>>()->value_name("URL"), "the same for a server without the policy: answers must be equal to its first one; may repeat")
        ("rounds", po::value(&raw.rounds)->value_name("N")->default_value(10), "turns of each server");
    po::options_description output("Output", help_columns);
    output.add_options()
        ("json", "one JSON document instead of tables")
        ("report", po::value(&raw.report)->value_name("FILE"), "also a page with pictures, FILE.html")
        ("help", "show this");
    // clang-format on
    return all.add(server).add(body).add(load).add(comparison).add(output);
}

nanoseconds duration_from(std::string_view text, std::string const& flag) {
    constexpr std::array<std::pair<std::string_view, double>, 4> units = {
        {{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}};
    double number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view const unit(end, text.size() - static_cast<std::size_t>(end - text.data()));
    for (auto const& [name, in_ns] : units) {
        if (error != std::errc{} || unit != name) continue;
        double const ns = number * in_ns;
        if (ns > 0 && ns <= static_cast<double>(nanoseconds(longest_load).count()))
            return nanoseconds(std::llround(ns));
    }
    throw usage_error(flag + ": " + std::string(text) +
                      " is not a duration such as 500ms, 10s or 2m, up to 1h");
}

// The number as the type that it is used as.
template <class To>
To in_range(std::int64_t value, std::int64_t least, std::int64_t most, std::string const& flag) {
    if (value < least || value > most)
        throw usage_error(flag + ": " + std::to_string(value) + " is not in " +
                          std::to_string(least) + ".." + std::to_string(most));
    return static_cast<To>(value);
}

void require(bool holds, char const* otherwise) {
    if (!holds) throw usage_error(otherwise);
}

http_url url_from(std::string const& text, std::string const& flag) {
    try {
        http_url url = http_url::parse(text);
        if (url.path.empty()) url.path = "/";
        return url;
    } catch (std::invalid_argument const& error) {
        throw usage_error(flag + ": " + error.what());
    }
}

// program_options keeps repeated flags apart by name, and refuses others: here their order counts,
// and of others the last one, so that a script can set defaults.
void take_repeated(std::vector<po::option>& given, raw_options& raw) {
    for (po::option const& each : given)
        if (each.string_key.starts_with("compare") && !each.value.empty())
            raw.compared.emplace_back(each.string_key, each.value.front());
    for (auto at = given.begin(); at != given.end();) {
        bool const again = std::any_of(at + 1, given.end(), [&](po::option const& later) {
            return !at->string_key.empty() && later.string_key == at->string_key;
        });
        at = again ? given.erase(at) : at + 1;
    }
}

void take_servers(bench_options& options, raw_options const& raw) {
    require(!raw.url.empty(), "--url is missing");
    options.servers.push_back({url_from(raw.url, "--url")});
    for (auto const& [flag, url] : raw.compared)
        options.servers.push_back({url_from(url, "--" + flag), flag == "compare"});

    bool any_tls = false;
    for (auto const& each : options.servers) any_tls = any_tls || each.url.tls;
    require(raw.cert.empty() == raw.key.empty(), "--cert and --key belong together");
    require(!any_tls || !raw.ca.empty(), "--ca is missing, which https needs");
    if (!any_tls) return;
    options.tls = tls_files{.ca = raw.ca};
    if (!raw.cert.empty()) {
        options.tls->cert = raw.cert;
        options.tls->key = raw.key;
    }
}

bool asks_for(bench_options::server const& server, std::string_view path) {
    std::string_view const all = server.url.path;
    return all.substr(0, all.find('?')).ends_with(path);
}

void take_body(bench_options& options, raw_options const& raw, po::variables_map const& given) {
    if (given.count("body")) {
        for (char const* other : {"nodes", "seed", "images", "gpu-percent", "missing-percent",
                                  "bad-percent", "min-mib", "names", "templates"})
            if (given.count(other) && !given[other].defaulted())
                throw usage_error("--body and --" + std::string(other) + " exclude each other");
        options.body_file = raw.body;
        return;
    }
    options.templates = raw.templates;
    generator_params& to = options.generated;
    to.nodes = in_range<std::size_t>(raw.nodes, 1, 1'000'000, "--nodes");
    to.seed = raw.seed;
    to.missing_percent = in_range<unsigned>(raw.missing_percent, 0, 100, "--missing-percent");
    to.bad_percent = in_range<unsigned>(raw.bad_percent, 0, 100, "--bad-percent");
    require(to.missing_percent + to.bad_percent <= 100,
            "--missing-percent and --bad-percent exceed 100 together");
    if (raw.min_mib != 0) to.min_mib = in_range<int>(raw.min_mib, 0, 1048576, "--min-mib");
    to.names_only = given.count("names") != 0;
    if (given.count("gpu-percent"))
        to.gpu_percent = in_range<unsigned>(raw.gpu_percent, 0, 100, "--gpu-percent");
    if (given.count("images")) to.images = in_range<unsigned>(raw.images, 0, 1000, "--images");

    bool const filter = asks_for(options.servers.front(), "/filter");
    options.path_verb = filter ? bench_options::verb::filter : bench_options::verb::prioritize;
    for (auto const& each : options.servers)
        if (each.checked && !asks_for(each, filter ? "/filter" : "/prioritize"))
            throw usage_error(each.url.text() + ": not /filter or /prioritize, or not what --url " +
                              "asks for, so that nobody knows what the right answer is");
}

void take_load(bench_options& options, raw_options const& raw, po::variables_map const& given) {
    load_setting& to = options.load;
    to.connections = in_range<std::size_t>(raw.connections, 1, 1024, "--connections");
    to.threads = in_range<std::size_t>(raw.threads, 1, 64, "--threads");
    to.keep_alive = given.count("no-keep-alive") == 0;
    to.timeout = duration_from(raw.timeout, "--timeout");
    options.warm_up = in_range<std::uint64_t>(raw.warm_up, 0, 1'000'000, "--warm-up");
    options.rounds = in_range<std::size_t>(raw.rounds, 1, 1000, "--rounds");

    bool const bounded_by_count = given.count("count") != 0 || options.compares();
    options.end.duration = bounded_by_count ? longest_load : std::chrono::seconds(10);
    if (given.count("duration")) options.end.duration = duration_from(raw.duration, "--duration");
    if (options.compares()) options.end.count = default_turn;
    if (given.count("count"))
        options.end.count = in_range<std::uint64_t>(raw.count, 1, most_requests, "--count");
    if (given.count("rate")) {
        if (!(raw.rate > 0 && raw.rate <= 1e6)) throw usage_error("--rate: not above 0, up to 1e6");
        options.rate = raw.rate;
    }
    require(!options.compares() || (!options.rate && !given.count("duration")),
            "a comparison counts requests: it goes with --count and --rounds, not with --rate or "
            "--duration");
    require(options.compares() || given["rounds"].defaulted(),
            "--rounds goes with --compare or --compare-unchecked");
}

}  // namespace

bench_options bench_options::parse(int argc, char const* const* argv) {
    raw_options raw;
    bench_options options;
    try {
        po::variables_map given;
        int const style =
            po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
        po::command_line_parser parser(argc, argv);
        po::options_description const described = description(raw);
        po::parsed_options parsed = parser.options(described).positional({}).style(style).run();
        take_repeated(parsed.options, raw);
        po::store(parsed, given);
        po::notify(given);
        options.help = given.count("help") != 0;
        if (options.help) return options;
        take_servers(options, raw);
        take_body(options, raw, given);
        take_load(options, raw, given);
        if (given.count("pid")) options.pid = in_range<pid_t>(raw.pid, 1, 1 << 22, "--pid");
        options.json = given.count("json") != 0;
        if (given.count("report")) options.report = raw.report;
        return options;
    } catch (po::error const& error) {
        throw usage_error(error.what());
    }
}

std::string bench_options::help_text() {
    raw_options raw;
    std::ostringstream text;
    text << "Loads an extender on this machine, and checks every answer before its time counts.\n"
            "\n"
            "  nodesieve-bench --url https://localhost:8443/filter --ca ca.crt --cert client.crt "
            "--key client.key\n"
            "\n"
            "Exits with 0 when all answers were right, 1 when any was not or did not come, 2 when "
            "the\ncommand line or a file is wrong.\n"
         << description(raw);
    return text.str();
}

}  // namespace nodesieve::bench
