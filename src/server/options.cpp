#include "options.hpp"

#include "endpoint_address.hpp"

#include <nodesieve/mib_text.hpp>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace nodesieve::server {

namespace {

// Longer than most files, because the table of flags is read with the readers that it names.

namespace po = boost::program_options;

// Readers of values: each throws std::invalid_argument with what was expected.

template <class Integer>
Integer whole_number(std::string_view text, Integer low, Integer high) {
    Integer value{};
    const auto* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end || value < low || value > high)
        throw std::invalid_argument("expected a whole number from " + std::to_string(low) + " to " +
                                    std::to_string(high));
    return value;
}

template <class Enum>
Enum one_of(std::string_view text, std::pair<std::string_view, Enum> a,
            std::pair<std::string_view, Enum> b) {
    if (text == a.first) return a.second;
    if (text == b.first) return b.second;
    throw std::invalid_argument("expected " + std::string(a.first) + " or " + std::string(b.first));
}

bool boolean(std::string_view text) { return one_of<bool>(text, {"true", true}, {"false", false}); }

std::string address(std::string_view text) {
    static_cast<void>(to_endpoint(parse_endpoint_address(text)));
    return std::string(text);
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) { return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z'); }

/// As Go's time.ParseDuration, without signs: 1m30s, 1.5s, 500ms. Rounded down to milliseconds.
std::chrono::milliseconds duration(std::string_view text) {
    using namespace std::chrono;
    static constexpr std::pair<std::string_view, double> units[] = {
        {"ns", 1},   {"us", 1e3}, {"\u00B5s", 1e3}, {"\u03BCs", 1e3},
        {"ms", 1e6}, {"s", 1e9},  {"m", 60e9},      {"h", 3600e9},
    };
    const auto expected = [] {
        return std::invalid_argument(
            "expected a duration from 1ms to 1h, as in 500ms, 2s or 1m30s");
    };
    double total_ns = 0;
    while (!text.empty()) {
        if (!is_digit(text.front()) && text.front() != '.') throw expected();
        double number = 0;
        const auto result = std::from_chars(text.data(), text.data() + text.size(), number,
                                            std::chars_format::fixed);
        if (result.ec != std::errc{}) throw expected();
        text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
        const auto name = text.substr(0, text.find_first_of(".0123456789"));
        const auto* const unit = std::find_if(std::begin(units), std::end(units),
                                              [name](auto const& u) { return u.first == name; });
        if (unit == std::end(units)) throw expected();
        text.remove_prefix(name.size());
        total_ns += number * unit->second;
    }
    if (total_ns < 1e6 || total_ns > 3600e9) throw expected();
    return floor<milliseconds>(nanoseconds(std::llround(total_ns)));  // 4.35s is 4350, not 4349
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 63 && is_alphanumeric(text.front()) &&
           is_alphanumeric(text.back()) && std::all_of(text.begin(), text.end(), [](char c) {
               return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
           });
}

bool is_dns_subdomain(std::string_view text) {
    if (text.size() > 253) return false;
    while (true) {
        const auto point = text.find('.');
        const auto label = text.substr(0, point);
        const auto is_end = [](char c) { return is_lower(c) || is_digit(c); };
        if (label.empty() || !is_end(label.front()) || !is_end(label.back()) ||
            !std::all_of(label.begin(), label.end(),
                         [is_end](char c) { return is_end(c) || c == '-'; }))
            return false;
        if (point == std::string_view::npos) return true;
        text.remove_prefix(point + 1);
    }
}

/// A key of labels, annotations or resources, as IsQualifiedName of k8s.io/apimachinery has it.
std::string key(std::string_view text) {
    const auto slash = text.find('/');
    const bool has_prefix = slash != std::string_view::npos;
    if ((has_prefix && !is_dns_subdomain(text.substr(0, slash))) ||
        !is_name(has_prefix ? text.substr(slash + 1) : text))
        throw std::invalid_argument(
            "expected a Kubernetes key: maybe a lower-case DNS name and '/', then up to 63 "
            "letters, "
            "digits, '-', '_' and '.', a letter or digit at both ends");
    return std::string(text);
}

std::vector<std::string> keys(std::string_view text) {
    std::vector<std::string> result;
    while (true) {
        const auto comma = text.find(',');
        result.push_back(key(text.substr(0, comma)));
        if (comma == std::string_view::npos) return result;
        text.remove_prefix(comma + 1);
    }
}

/// The policy reads the requests of containers only, and Kubernetes overrides those of some
/// resources by requests of the Pod (IsSupportedPodLevelResource of k8s.io/component-helpers).
std::string extended_resource(std::string_view text) {
    if (text == "cpu" || text == "memory" || text.starts_with("hugepages-"))
        throw std::invalid_argument(
            "expected a device plugin's resource, not cpu, memory or hugepages");
    return key(text);
}

struct flag {
    std::string_view section;
    char const* name;
    std::string_view default_value;
    std::string_view meaning;
    void (*set)(options&, std::string_view value);
    enum class kind : std::uint8_t { value, list, toggle } takes = kind::value;
};

constexpr std::string_view names_section = "Nodes by name (nodeCacheCapable: true) and preempt";

/// Every flag with a value, in the order of the help text.
constexpr flag flags[] = {
    {"Listening", "listen", ":8443", "filter, prioritize, preempt",
     [](options& o, std::string_view v) { o.listen = address(v); }},
    {"Listening", "admin-listen", ":8080", "plain HTTP: /metrics /healthz /readyz",
     [](options& o, std::string_view v) { o.admin_listen = address(v); }},
    {"Listening", "insecure-http", "false", "no TLS; for development, on loopback",
     [](options& o, std::string_view v) { o.insecure_http = boolean(v); }, flag::kind::toggle},

    {"TLS", "tls-cert", "/etc/extender-tls/tls.crt", "server chain, PEM",
     [](options& o, std::string_view v) { o.tls_cert = v; }},
    {"TLS", "tls-key", "/etc/extender-tls/tls.key", "its key, PEM",
     [](options& o, std::string_view v) { o.tls_key = v; }},
    {"TLS", "client-ca", "/etc/extender-tls/client-ca.crt", "whom to trust, PEM",
     [](options& o, std::string_view v) { o.client_ca = v; }},

    {"Limits", "max-body-bytes", "335544320", "of a request, 1 to 2^40",
     [](options& o, std::string_view v) {
         o.limits.max_body_bytes = whole_number<std::uint64_t>(v, 1, std::uint64_t{1} << 40U);
     }},
    {"Limits", "max-nodes", "15000", "in a request, 1 to 1000000",
     [](options& o, std::string_view v) {
         o.limits.max_nodes = whole_number<std::uint32_t>(v, 1, 1'000'000);
     }},
    {"Limits", "threads", "0", "up to 1024; 0: by the cgroup's CPU quota",
     [](options& o, std::string_view v) { o.threads = whole_number<unsigned>(v, 0, 1024); }},

    {"Policy", "min-memory-annotation", "training.example.com/min-gpu-memory-mib", "on Pods",
     [](options& o, std::string_view v) { o.policy.min_memory_annotation = key(v); }},
    {"Policy", "node-memory-label", "training.example.com/gpu-memory-mib", "may repeat",
     [](options& o, std::string_view v) { o.policy.node_memory_labels = keys(v); },
     flag::kind::list},
    {"Policy", "gpu-resource", "nvidia.com/gpu", "what makes a Pod a GPU Pod",
     [](options& o, std::string_view v) { o.policy.gpu_resource = extended_resource(v); }},
    {"Policy", "score-ceiling-mib", "81920", "the memory that scores 100",
     [](options& o, std::string_view v) {
         o.policy.score_ceiling_mib = whole_number<std::int32_t>(v, 1, max_memory_mib);
     }},
    {"Policy", "score-prefer", "most", "most or least memory",
     [](options& o, std::string_view v) {
         o.policy.prefer = one_of<score_preference>(v, {"most", score_preference::most},
                                                    {"least", score_preference::least});
     }},
    {"Policy", "invalid-pod", "error", "error (400) or unschedulable",
     [](options& o, std::string_view v) {
         o.invalid_pod =
             one_of<invalid_pod_answer>(v, {"error", invalid_pod_answer::error},
                                        {"unschedulable", invalid_pod_answer::unschedulable});
     }},

    {names_section, "node-cache", "off", "off or watch",
     [](options& o, std::string_view v) {
         o.node_cache = one_of<node_cache_mode>(v, {"off", node_cache_mode::off},
                                                {"watch", node_cache_mode::watch});
     }},
    {names_section, "node-cache-max-age", "5m", "what is older is not used",
     [](options& o, std::string_view v) { o.node_cache_max_age = duration(v); }},
    {names_section, "kubeconfig", "", "none: in-cluster credentials",
     [](options& o, std::string_view v) { o.kubeconfig = v; }},
    {names_section, "names-reply", "full", "full or compact",
     [](options& o, std::string_view v) {
         o.named =
             one_of<names_reply>(v, {"full", names_reply::full}, {"compact", names_reply::compact});
     }},

    {"Timeouts", "handshake-timeout", "5s", "TLS handshake",
     [](options& o, std::string_view v) { o.timeouts.handshake = duration(v); }},
    {"Timeouts", "header-timeout", "2s", "request header",
     [](options& o, std::string_view v) { o.timeouts.header = duration(v); }},
    {"Timeouts", "read-timeout", "10s", "whole request",
     [](options& o, std::string_view v) { o.timeouts.read = duration(v); }},
    {"Timeouts", "write-timeout", "10s", "response",
     [](options& o, std::string_view v) { o.timeouts.write = duration(v); }},
    {"Timeouts", "idle-timeout", "120s", "between requests; above Go's 90s",
     [](options& o, std::string_view v) { o.timeouts.idle = duration(v); }},

    {"Output", "log-format", "text", "text or json",
     [](options& o, std::string_view v) {
         o.log_format =
             one_of<log_format>(v, {"text", log_format::text}, {"json", log_format::json});
     }},
};

[[noreturn]] void refuse(std::string const& seen, std::string const& expected) {
    throw option_error(seen + ": " + expected);
}

/// Flags that were given, each with its values in order; and the command.
struct command_line {
    server::command command = server::command::serve;
    std::map<std::string, std::vector<std::string>, std::less<>> values;
};

/// A switch alone means true; a value must follow it behind an equals sign, as in Go.
std::pair<std::string, std::string> parse_lone_toggle(std::string const& token) {
    for (auto const& flag : flags)
        if (flag.takes == flag::kind::toggle &&
            (token == std::string("--") + flag.name || token == std::string("-") + flag.name))
            return {flag.name, "true"};
    return {};
}

po::parsed_options split(std::vector<std::string> const& arguments) {
    po::options_description known;
    auto add = known.add_options();
    for (auto const& flag : flags) add(flag.name, po::value<std::string>());
    add("help", "")("h", "")("version", "");
    namespace style = po::command_line_style;
    return po::command_line_parser(arguments)
        .options(known)
        .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next |
               style::allow_long_disguise)
        .extra_parser(parse_lone_toggle)
        .allow_unregistered()
        .run();
}

command_line parse_command_line(std::vector<std::string> const& arguments) try {
    command_line result;
    std::vector<std::string> words;
    bool help = false;
    bool version = false;
    for (auto const& option : split(arguments).options) {
        const bool is_word = option.string_key.empty();
        // An unknown flag with one dash looks like a word to Program_options.
        if (option.unregistered || (is_word && option.value.front().starts_with('-')))
            refuse(in_quotes(option.original_tokens.front()),
                   "no such flag; nodesieve --help lists them");
        if (is_word)
            words.push_back(option.value.front());
        else if (option.string_key == "help" || option.string_key == "h")
            help = true;
        else if (option.string_key == "version")
            version = true;
        else
            result.values[option.string_key].push_back(option.value.front());
    }
    if (words.size() > 1)
        refuse(in_quotes(words[1]), "expected flags only after the command " + in_quotes(words[0]) +
                                        "; a value belongs to its flag, as in --threads=2");
    if (!words.empty() && words[0] != "serve" && words[0] != "version")
        refuse(in_quotes(words[0]), "no such command; expected serve (the default) or version");
    if (help)
        result.command = command::help;
    else if (version || (!words.empty() && words[0] == "version"))
        result.command = command::version;
    return result;
} catch (po::error_with_option_name const& error) {
    using kind = po::invalid_command_line_syntax::kind_t;
    const auto* const syntax = dynamic_cast<po::invalid_command_line_syntax const*>(&error);
    const bool extra = syntax != nullptr && syntax->kind() == kind::extra_parameter;
    refuse(in_quotes(error.get_option_name()),
           extra ? "expected no value" : "expected a value, as in --threads=2");
}

std::string variable_name(std::string_view flag_name) {
    std::string result = "NODESIEVE_";
    for (const char c : flag_name)
        result += c == '-' ? '_' : is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
    return result;
}

std::string joined(std::vector<std::string> const& values) {
    std::string result;
    for (auto const& value : values) result += (result.empty() ? "" : ",") + value;
    return result;
}

/// `source` is the flag or the variable, as the operator wrote it.
void set(options& result, flag const& flag, std::string const& source, std::string_view value) try {
    flag.set(result, value);
} catch (std::invalid_argument const& expected) {
    refuse(source + '=' + in_quotes(value), std::string(expected.what()) + ", such as " + source +
                                                '=' + std::string(flag.default_value));
}

}  // namespace

options parse_options(int argc, char const* const* argv, environment const& variables) {
    const auto given = parse_command_line({argv + std::min(argc, 1), argv + argc});
    options result;
    result.command = given.command;
    if (result.command != command::serve) return result;

    for (auto const& flag : flags) {
        const auto variable = variable_name(flag.name);
        if (const auto found = given.values.find(flag.name); found != given.values.end()) {
            auto const& values = found->second;
            set(result, flag, std::string("--") + flag.name,
                flag.takes == flag::kind::list ? joined(values) : values.back());
        } else if (char const* const value = variables(variable.c_str());
                   value != nullptr && *value != '\0') {
            set(result, flag, variable, value);
        }
    }
    if (result.insecure_http && !is_loopback(parse_endpoint_address(result.listen)))
        refuse("--insecure-http",
               "expected a loopback address to listen on, not " + in_quotes(result.listen) +
                   ", such as --listen=127.0.0.1:8443; or leave --insecure-http out to serve TLS");
    return result;
}

std::string help_text() {
    std::string text =
        "Usage: nodesieve [serve] [flags]   answer kube-scheduler over HTTPS\n"
        "       nodesieve version           or --version\n";
    std::string_view section;
    for (auto const& flag : flags) {
        if (flag.section != section) (text += flag.section) += ":\n";
        section = flag.section;
        std::string line = std::string("  --") + flag.name;
        line.resize(std::max<std::size_t>(line.size() + 1, 26), ' ');
        ((line += flag.meaning) += " [") += flag.default_value;
        (text += line) += "]\n";
    }
    return text +
           "Each flag can be a variable too: NODESIEVE_MAX_NODES=15000 is --max-nodes=15000.\n"
           "The command line wins. Of several labels, the first one that a node has decides.\n";
}

}  // namespace nodesieve::server
