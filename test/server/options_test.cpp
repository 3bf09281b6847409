#include "options.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nodesieve::server {
namespace {

using variables = std::map<std::string, std::string>;

options parse(std::vector<std::string> const& arguments, variables const& set = {}) {
    std::vector<char const*> argv = {"nodesieve"};
    for (auto const& argument : arguments) argv.push_back(argument.c_str());
    return parse_options(static_cast<int>(argv.size()), argv.data(),
                         [&set](char const* name) -> char const* {
                             const auto found = set.find(name);
                             return found == set.end() ? nullptr : found->second.c_str();
                         });
}

/// What is said about the arguments, or "" if they are accepted.
std::string error_of(std::vector<std::string> const& arguments, variables const& set = {}) {
    try {
        static_cast<void>(parse(arguments, set));
    } catch (option_error const& error) {
        return error.what();
    }
    return "";
}

/// Everything in a row, so that two can be compared and printed.
std::string text_of(options const& o) {
    std::ostringstream out;
    out << "command=" << static_cast<int>(o.command) << " listen=" << o.listen
        << " admin_listen=" << o.admin_listen << " insecure_http=" << o.insecure_http
        << " tls_cert=" << o.tls_cert << " tls_key=" << o.tls_key << " client_ca=" << o.client_ca
        << " max_body_bytes=" << o.limits.max_body_bytes << " max_nodes=" << o.limits.max_nodes
        << " threads=" << o.threads << " annotation=" << o.policy.min_memory_annotation
        << " labels=";
    for (auto const& label : o.policy.node_memory_labels) out << label << ';';
    out << " resource=" << o.policy.gpu_resource << " ceiling=" << o.policy.score_ceiling_mib
        << " prefer=" << static_cast<int>(o.policy.prefer)
        << " invalid_pod=" << static_cast<int>(o.invalid_pod)
        << " handshake=" << o.timeouts.handshake.count() << " header=" << o.timeouts.header.count()
        << " read=" << o.timeouts.read.count() << " write=" << o.timeouts.write.count()
        << " node_cache=" << static_cast<int>(o.node_cache)
        << " max_age=" << o.node_cache_max_age.count() << " kubeconfig=" << o.kubeconfig
        << " named=" << static_cast<int>(o.named) << " idle=" << o.timeouts.idle.count()
        << " format=" << static_cast<int>(o.log_format);
    return out.str();
}

/// The lines of the help text that describe a flag with a default, as (flag, default).
std::vector<std::pair<std::string, std::string>> flags_in_help() {
    std::vector<std::pair<std::string, std::string>> result;
    std::istringstream lines(help_text());
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("  --")) {
            const auto bracket = line.rfind('[');
            result.emplace_back(line.substr(2, line.find(' ', 2) - 2),
                                line.substr(bracket + 1, line.size() - bracket - 2));
        }
    return result;
}

BOOST_AUTO_TEST_SUITE(options_test)

BOOST_AUTO_TEST_CASE(has_the_documented_defaults) {
    BOOST_TEST(text_of(parse({})) ==
               "command=0 listen=:8443 admin_listen=:8080 insecure_http=0 "
               "tls_cert=\"/etc/extender-tls/tls.crt\" tls_key=\"/etc/extender-tls/tls.key\" "
               "client_ca=\"/etc/extender-tls/client-ca.crt\" "
               "max_body_bytes=335544320 max_nodes=15000 threads=0 "
               "annotation=training.example.com/min-gpu-memory-mib "
               "labels=training.example.com/gpu-memory-mib; resource=nvidia.com/gpu "
               "ceiling=81920 prefer=0 invalid_pod=0 "
               "handshake=5000 header=2000 read=10000 write=10000 node_cache=0 max_age=300000 "
               "kubeconfig=\"\" named=0 "
               "idle=120000 format=0");
    BOOST_TEST(text_of(parse({})) == text_of(options{}));
}

BOOST_AUTO_TEST_CASE(help_shows_the_default_of_every_flag) {
    const auto flags = flags_in_help();
    BOOST_TEST(flags.size() == 25U);
    for (auto const& [flag, value] : flags) BOOST_TEST_CONTEXT(flag) {
            if (value.empty()) continue;  // as with Go's flags, no value is an error
            BOOST_TEST(text_of(parse({flag + '=' + value})) == text_of(options{}));
        }
}

BOOST_AUTO_TEST_CASE(help_fits_40_lines_of_80_columns) {
    std::istringstream lines(help_text());
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) BOOST_TEST_CONTEXT(line) {
            BOOST_TEST(line.size() <= 80U);
        }
    BOOST_TEST(count <= 40);
    BOOST_TEST(help_text().ends_with('\n'));
}

BOOST_AUTO_TEST_CASE(reads_each_flag_from_the_command_line_and_the_environment) {
    struct {
        std::string name, variable, value, expected;
    } const cases[] = {
        {"listen", "NODESIEVE_LISTEN", "127.0.0.1:1", " listen=127.0.0.1:1 "},
        {"admin-listen", "NODESIEVE_ADMIN_LISTEN", "[::1]:0", " admin_listen=[::1]:0 "},
        {"tls-cert", "NODESIEVE_TLS_CERT", "/a b.crt", R"( tls_cert="/a b.crt" )"},
        {"tls-key", "NODESIEVE_TLS_KEY", "k", R"( tls_key="k" )"},
        {"client-ca", "NODESIEVE_CLIENT_CA", "ca", R"( client_ca="ca" )"},
        {"max-body-bytes", "NODESIEVE_MAX_BODY_BYTES", "1099511627776",
         " max_body_bytes=1099511627776 "},
        {"max-nodes", "NODESIEVE_MAX_NODES", "1", " max_nodes=1 "},
        {"threads", "NODESIEVE_THREADS", "1024", " threads=1024 "},
        {"min-memory-annotation", "NODESIEVE_MIN_MEMORY_ANNOTATION", "a/b", " annotation=a/b "},
        {"node-memory-label", "NODESIEVE_NODE_MEMORY_LABEL", "nvidia.com/gpu.memory,x",
         " labels=nvidia.com/gpu.memory;x; "},
        {"gpu-resource", "NODESIEVE_GPU_RESOURCE", "amd.com/gpu", " resource=amd.com/gpu "},
        {"score-ceiling-mib", "NODESIEVE_SCORE_CEILING_MIB", "1048576", " ceiling=1048576 "},
        {"score-prefer", "NODESIEVE_SCORE_PREFER", "least", " prefer=1 "},
        {"invalid-pod", "NODESIEVE_INVALID_POD", "unschedulable", " invalid_pod=1 "},
        {"handshake-timeout", "NODESIEVE_HANDSHAKE_TIMEOUT", "1ms", " handshake=1 "},
        {"header-timeout", "NODESIEVE_HEADER_TIMEOUT", "1m30s", " header=90000 "},
        {"read-timeout", "NODESIEVE_READ_TIMEOUT", "1h", " read=3600000 "},
        {"write-timeout", "NODESIEVE_WRITE_TIMEOUT", "1.5s", " write=1500 "},
        {"idle-timeout", "NODESIEVE_IDLE_TIMEOUT", "2m", " idle=120000 "},
        {"log-format", "NODESIEVE_LOG_FORMAT", "json", " format=1"},
    };
    for (auto const& c : cases) {
        const std::vector<std::vector<std::string>> forms = {{"--" + c.name + '=' + c.value},
                                                             {"--" + c.name, c.value},
                                                             {'-' + c.name + '=' + c.value},
                                                             {'-' + c.name, c.value}};
        for (auto const& form : forms) BOOST_TEST_CONTEXT(form.front()) {
                BOOST_TEST(text_of(parse(form)).find(c.expected) != std::string::npos);
            }
        BOOST_TEST_CONTEXT(c.variable) {
            const auto text = text_of(parse({}, {{c.variable, c.value}}));
            BOOST_TEST(text.find(c.expected) != std::string::npos);
        }
    }
    BOOST_TEST(parse({"--insecure-http", "--listen=:1", "--listen=[::1]:1"}).insecure_http);
    BOOST_TEST(
        !parse({"-insecure-http=false"}, {{"NODESIEVE_INSECURE_HTTP", "true"}}).insecure_http);
    BOOST_TEST(parse({"-listen=localhost:1"}, {{"NODESIEVE_INSECURE_HTTP", "true"}}).insecure_http);
}

BOOST_AUTO_TEST_CASE(command_line_wins_and_its_last_value_counts) {
    const variables set = {{"NODESIEVE_MAX_NODES", "no number, but not looked at"},
                           {"NODESIEVE_NODE_MEMORY_LABEL", "from/environment"}};
    const auto read = parse(
        {"--max-nodes=1", "--node-memory-label=a", "-max-nodes", "2", "--node-memory-label", "b/c"},
        set);
    BOOST_TEST(read.limits.max_nodes == 2U);
    BOOST_TEST(read.policy.node_memory_labels == (std::vector<std::string>{"a", "b/c"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(ignores_empty_variables_and_those_that_kubernetes_sets) {
    const auto read = parse({}, {{"NODESIEVE_THREADS", ""},
                                 {"NODESIEVE_SERVICE_HOST", "10.0.0.1"},
                                 {"NODESIEVE_PORT", "tcp://10.0.0.1:8443"},
                                 {"NODESIEVE_PORT_8443_TCP_PROTO", "tcp"}});
    BOOST_TEST(text_of(read) == text_of(options{}));
}

BOOST_AUTO_TEST_CASE(finds_the_command) {
    using arguments = std::vector<std::string>;
    struct {
        arguments given;
        command expected;
    } const cases[] = {
        {{}, command::serve},
        {{"serve"}, command::serve},
        {{"serve", "--threads=2"}, command::serve},
        {{"--threads", "2", "serve"}, command::serve},
        {{"--listen=:1", "--insecure-http=false", "serve"}, command::serve},
        {{"--listen=[::1]:1", "--insecure-http", "serve"}, command::serve},
        {{"version"}, command::version},
        {{"--version"}, command::version},
        {{"-version"}, command::version},
        {{"--help"}, command::help},
        {{"-help"}, command::help},
        {{"-h"}, command::help},
        {{"serve", "--help"}, command::help},
        {{"--threads=nonsense", "--version", "--help"}, command::help},
    };
    for (auto const& c : cases) {
        std::string shown;
        for (auto const& argument : c.given) shown += argument + ' ';
        BOOST_TEST_CONTEXT(shown) { BOOST_TEST((parse(c.given).command == c.expected)); }
    }
    BOOST_TEST((parse_options(0, nullptr, [](char const*) -> char const* {
                    return nullptr;
                }).command == command::serve));
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_the_command_line) {
    struct {
        std::vector<std::string> given;
        std::string expected;
    } const cases[] = {
        {{"explain"}, R"("explain": no such command; expected serve (the default) or version)"},
        {{"serve", "twice"},
         R"("twice": expected flags only after the command "serve"; )"
         "a value belongs to its flag, as in --threads=2"},
        {{"-insecure-http", "false"},
         R"("false": no such command; expected serve (the default) or version)"},
        {{"--", "x"}, R"("x": no such command; expected serve (the default) or version)"},
        {{"--max-node=1"}, R"("--max-node=1": no such flag; nodesieve --help lists them)"},
        {{"-max-node=1"}, R"("-max-node=1": no such flag; nodesieve --help lists them)"},
        {{"--max-node", "1"}, R"("--max-node": no such flag; nodesieve --help lists them)"},
        {{"-x"}, R"("-x": no such flag; nodesieve --help lists them)"},
        {{"-"}, R"("-": no such flag; nodesieve --help lists them)"},
        {{"--MAX-NODES=1"}, R"("--MAX-NODES=1": no such flag; nodesieve --help lists them)"},
        {{"--max-nodes"}, R"("--max-nodes": expected a value, as in --threads=2)"},
        {{"--max-nodes="}, R"("--max-nodes": expected a value, as in --threads=2)"},
        {{"--max-nodes", "--threads=2"},
         R"(--max-nodes="--threads=2": expected a whole number from 1 to 1000000, )"
         "such as --max-nodes=15000"},
        {{"-max-nodes"}, R"("--max-nodes": expected a value, as in --threads=2)"},
        {{"--threads", "-1"},
         R"(--threads="-1": expected a whole number from 0 to 1024, such as --threads=0)"},
        {{"--version=2"}, R"("--version": expected no value)"},
        {{"--a\nb="}, R"("--a\nb": expected a value, as in --threads=2)"},
        {{"a\nb"}, R"("a\nb": no such command; expected serve (the default) or version)"},
    };
    for (auto const& c : cases) BOOST_TEST_CONTEXT(c.given.front()) {
            BOOST_TEST(error_of(c.given) == c.expected);
        }
}

BOOST_AUTO_TEST_CASE(names_flag_value_expectation_and_example) {
    BOOST_TEST(error_of({"--max-nodes=0"}) ==
               R"(--max-nodes="0": expected a whole number from 1 to 1000000, )"
               "such as --max-nodes=15000");
    BOOST_TEST(error_of({}, {{"NODESIEVE_MAX_NODES", "many"}}) ==
               R"(NODESIEVE_MAX_NODES="many": expected a whole number from 1 to 1000000, )"
               "such as NODESIEVE_MAX_NODES=15000");
    BOOST_TEST(error_of({"--insecure-http"}) ==
               "--insecure-http: expected a loopback address to listen on, not \":8443\", such as "
               "--listen=127.0.0.1:8443; or leave --insecure-http out to serve TLS");
}

BOOST_AUTO_TEST_CASE(refuses_values_out_of_range_or_of_another_kind) {
    const std::string long_name(64, 'n');
    const std::string long_prefix = std::string(254, 'p') + "/n";
    const std::pair<char const*, std::vector<std::string>> cases[] = {
        {"listen", {"8443", "host", "example.com:1", ":65536", ":-1", ":", "::1:8443", "[::1]"}},
        {"admin-listen", {"example.com:1"}},
        {"insecure-http", {"yes", "1"}},
        {"max-body-bytes",
         {"0", "1099511627777", "-1", "+1", "1.0", "1k", " 1", "18446744073709551617"}},
        {"max-nodes", {"0", "1000001", "4294967297"}},
        {"threads", {"1025", "-1"}},
        {"min-memory-annotation",
         {"/n", "p/", "a/b/c", "-n", "n-", "n n", "P/n", "p..q/n", "p_q/n", "-p/n", "n\n",
          "\xc3\xa9", long_name, long_prefix}},
        {"node-memory-label", {",", "a,", "a,,b", "a b"}},
        {"gpu-resource", {"cpu", "memory", "hugepages-2Mi", "nvidia.com/"}},
        {"score-ceiling-mib", {"0", "1048577", "-1"}},
        {"score-prefer", {"Most", "least "}},
        {"invalid-pod", {"400"}},
        {"handshake-timeout", {"0",      "0s",     "5",     "5 s",  "-5s",
                               "+5s",    "10s-5s", "1ms1",  "s",    ".s",
                               "1.2.3s", "1e3ms",  "0x1s",  "infs", "nans",
                               "999us",  "1h1ms",  "3601s", "1d",   "99999999999999999999h"}},
        {"log-format", {"xml"}},
    };
    for (auto const& [name, values] : cases)
        for (auto const& value : values) BOOST_TEST_CONTEXT(name << '=' << value) {
                const auto error = error_of({std::string("--") + name + '=' + value});
                BOOST_TEST(error.starts_with(std::string("--") + name + "=\""));
                BOOST_TEST(error.find(": expected ") != std::string::npos);
                BOOST_TEST(error.find('\n') == std::string::npos);
            }
}

BOOST_AUTO_TEST_CASE(accepts_values_at_the_ends_of_their_ranges) {
    const std::string longest_key = std::string(253, 'p') + '/' + std::string(63, 'n');
    const std::pair<char const*, std::vector<std::string>> cases[] = {
        {"listen", {":0", ":65535", "[::]:1", "0.0.0.0:1"}},
        {"min-memory-annotation", {"a", "A.b_c-9", "0.p-q/N", longest_key}},
        {"gpu-resource", {"memory.example.com/gpu", "ephemeral-storage"}},
        {"idle-timeout",
         {"1ms", "1h", "1000us", "1000\xc2\xb5s", "1000\xce\xbcs", "1000000ns", "59m60s", ".5s",
          "1.s", "0.0h1ms"}},
    };
    for (auto const& [name, values] : cases)
        for (auto const& value : values) BOOST_TEST_CONTEXT(name << '=' << value) {
                BOOST_TEST(error_of({std::string("--") + name, value}) == "");
            }
}

BOOST_AUTO_TEST_CASE(rounds_durations_down_to_milliseconds) {
    const std::pair<char const*, int> cases[] = {
        {"4.35s", 4350}, {"1.1s", 1100}, {"1.0009s", 1000}, {"1999us", 1}, {"0.001h", 3600}};
    for (auto const& [text, expected] : cases) BOOST_TEST_CONTEXT(text) {
            BOOST_TEST(parse({"--read-timeout", text}).timeouts.read.count() == expected);
        }
}

BOOST_AUTO_TEST_CASE(serves_plain_http_on_loopback_only) {
    for (char const* const address : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1"})
        BOOST_TEST_CONTEXT(address) {
            BOOST_TEST(error_of({"--insecure-http", "--listen", address}) == "");
        }
    for (char const* const address : {":1", "0.0.0.0:1", "[::]:1", "10.0.0.1:1", "128.0.0.1:1"})
        BOOST_TEST_CONTEXT(address) {
            BOOST_TEST(error_of({"--insecure-http", "--listen", address})
                           .starts_with("--insecure-http: expected a loopback address"));
        }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace nodesieve::server
