// Plays kube-scheduler to a running extender, and shows in one table what it answered.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generator.hpp"
#include "https_client.hpp"
#include "json_difference.hpp"
#include "reply_check.hpp"
#include "text_table.hpp"

namespace {

namespace json = boost::json;
namespace fs = std::filesystem;
namespace po = boost::program_options;
using namespace nodesieve::bench;

// A request that a real kube-scheduler sent, and what must come back.
struct captured_request {
    std::string_view path;
    std::string_view request;         // file name
    std::string_view reply = {};      // file name; empty: refused with 400 and …
    std::string_view complaint = {};  // … this first line
};

constexpr std::array captured_requests = {
    captured_request{"/filter", "filter-min15000.json", "filter-min15000.reference-reply.json"},
    captured_request{"/prioritize", "prioritize-min15000.json",
                     "prioritize-min15000.reference-reply.json"},
    captured_request{"/prioritize", "prioritize-nomin.json",
                     "prioritize-nomin.reference-reply.json"},
    captured_request{"/filter", "filter-min150000.json", "filter-min150000.reference-reply.json"},
    captured_request{"/filter", "filter-invalid-annotation.json", "",
                     "minimum GPU memory must be 1..1048576 MiB"},
};
constexpr int generated_min_mib = 40960;

struct options {
    std::string url;
    client_tls_files tls;
    fs::path data;
    std::size_t nodes = 0;
    std::uint64_t seed = 0;
};

// What an answer says, in cells of the table.
struct answer_cells {
    std::string passed = "-";
    std::string bad_label = "-";
    std::string below_minimum = "-";
    std::string best_scores = "-";
};

using judge = std::function<std::string(https_reply const&)>;  // empty when the answer is right

std::string read_file(fs::path const& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error(file.string() + ": cannot be opened");
    return {std::istreambuf_iterator<char>(in), {}};
}

json::value read_json(fs::path const& file) {
    json::error_code ec;
    json::value value = json::parse(read_file(file), ec);
    if (ec) throw std::runtime_error(file.string() + ": " + ec.message());
    return value;
}

std::string fixed(double value, int decimals) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
    return text.data();
}

std::string first_line(std::string_view text) {
    return std::string(text.substr(0, std::min<std::size_t>(text.find_first_of("\r\n"), 100)));
}

std::size_t failed_with(json::object const& failed, expected_verdict verdict) {
    json::value const reason(reason_text(verdict));
    auto const count = std::count_if(failed.begin(), failed.end(),
                                     [&](auto const& entry) { return entry.value() == reason; });
    return static_cast<std::size_t>(count);
}

// The three best scores and how many nodes have each, such as "10 ×1140, 6 ×561, 5 ×564".
std::string best_scores(json::array const& priorities) {
    std::map<std::int64_t, std::size_t, std::greater<>> nodes_by_score;
    for (json::value const& each : priorities) ++nodes_by_score[each.at("Score").as_int64()];
    std::string text;
    int left = 3;
    for (auto const& [score, nodes] : nodes_by_score) {
        if (left-- == 0) break;
        text += (text.empty() ? "" : ", ") + std::to_string(score) + " ×" + std::to_string(nodes);
    }
    return text.empty() ? "-" : text;
}

// Tells what was answered, right or wrong; cells of what is not there keep their dash.
answer_cells summarise(https_reply const& reply) {
    answer_cells cells;
    if (reply.status != 200) return cells;
    try {
        json::value const answer = json::parse(reply.body);
        if (answer.is_array()) {
            cells.best_scores = best_scores(answer.get_array());
        } else {
            auto const& failed = answer.at("FailedAndUnresolvableNodes").as_object();
            cells.passed = std::to_string(answer.at("Nodes").at("items").as_array().size());
            cells.bad_label =
                std::to_string(failed_with(failed, expected_verdict::missing_or_bad_label));
            cells.below_minimum =
                std::to_string(failed_with(failed, expected_verdict::below_minimum));
        }
    } catch (std::exception const&) {
        // Another shape than the contract's: the verdict on the answer says so.
    }
    return cells;
}

// Lets `check` judge the body of an answer whose head is right.
template <class Check>
judge accepted_and(Check check) {
    return [check = std::move(check)](https_reply const& reply) -> std::string {
        if (reply.status != 200)
            return "status " + std::to_string(reply.status) + ", " + first_line(reply.body);
        if (reply.content_type != "application/json")
            return "content type `" + reply.content_type + "`";
        return check(reply.body);
    };
}

judge same_meaning_as(json::value expected) {
    return accepted_and([expected = std::move(expected)](std::string_view body) {
        json::error_code ec;
        json::value const seen = json::parse(body, ec);
        return ec ? "not JSON, " + ec.message() : first_difference(expected, seen);
    });
}

judge refused_with(std::string_view complaint) {
    return [complaint](https_reply const& reply) -> std::string {
        std::string const line = first_line(reply.body);
        if (reply.status == 400 && line == complaint) return {};
        return "expected status 400, " + std::string(complaint) + ", saw status " +
               std::to_string(reply.status) + ", " + line;
    };
}

class demo {
  public:
    explicit demo(options const& chosen)
        : options_(chosen), client_(chosen.url, chosen.tls), colour_(isatty(STDOUT_FILENO) == 1) {}

    // Returns whether every answer was right.
    bool run() {
        for (captured_request const& each : captured_requests) ask(each);
        ask_generated();
        std::cout << table_;
        return all_right_;
    }

  private:
    void ask(captured_request const& captured) {
        fs::path const folder = options_.data / "requests";
        std::string const body = read_file(folder / captured.request);
        std::size_t const nodes = json::parse(body).at("Nodes").at("items").as_array().size();
        ask(fs::path(captured.request).stem().string(), captured.path, body, nodes,
            captured.reply.empty() ? refused_with(captured.complaint)
                                   : same_meaning_as(read_json(folder / captured.reply)));
    }

    void ask_generated() {
        generator const nodes_and_pod({.folder = options_.data / "nodes"});
        generated_args const args = nodes_and_pod.generate(
            {.nodes = options_.nodes, .seed = options_.seed, .min_mib = generated_min_mib});
        std::string const suffix = "-generated-min" + std::to_string(generated_min_mib);
        ask("filter" + suffix, "/filter", args.body, args.nodes.size(),
            accepted_and([&](std::string_view body) { return check_filter_reply(args, body); }));
        ask("prioritize" + suffix, "/prioritize", args.body, args.nodes.size(),
            accepted_and(
                [&](std::string_view body) { return check_prioritize_reply(args, body); }));
    }

    void ask(std::string name, std::string_view path, std::string_view body, std::size_t nodes,
             judge const& judge_reply) {
        using clock = std::chrono::steady_clock;
        auto const start = clock::now();
        https_reply const reply = client_.post(path, body);
        std::chrono::duration<double, std::milli> const taken = clock::now() - start;

        std::string const fault = judge_reply(reply);
        if (!fault.empty()) all_right_ = false;
        answer_cells cells = summarise(reply);
        table_.add_row({std::move(name), std::to_string(nodes), std::move(cells.passed),
                        std::move(cells.bad_label), std::move(cells.below_minimum),
                        std::move(cells.best_scores),
                        fixed(static_cast<double>(body.size()) / 1e6, 1), fixed(taken.count(), 1),
                        verdict(fault)});
    }

    std::string verdict(std::string const& fault) const {
        std::string const text = fault.empty() ? "right" : "WRONG: " + fault;
        if (!colour_) return text;
        return (fault.empty() ? "\x1b[32m" : "\x1b[31m") + text + "\x1b[0m";
    }

    options const& options_;
    https_client client_;
    bool colour_;
    bool all_right_ = true;
    text_table table_{{
        {"request"},
        {"nodes", text_table::side::right},
        {"passed", text_table::side::right},
        {"bad label", text_table::side::right},
        {"below min", text_table::side::right},
        {"best scores"},
        {"MB", text_table::side::right},
        {"ms", text_table::side::right},
        {"answer"},
    }};
};

// Throws po::error for a wrong command line; nothing when help was asked for, and given.
std::optional<options> parse_options(int argc, char const* const* argv) {
    std::string url, ca, cert, key, data;
    int nodes = 0;
    std::uint64_t seed = 0;
    po::options_description description(
        "Posts to an extender as kube-scheduler does, and judges the answers.\n"
        "Exits with 0 when all were right, 1 when not, 2 when there was no answer.\n\nOptions");
    // clang-format off
    description.add_options()
        ("help", "show this")
        ("url", po::value(&url)->required(), "the extender, https://HOST:PORT")
        ("ca", po::value(&ca)->required(), "CA of the extender's certificate, PEM")
        ("cert", po::value(&cert)->required(), "client certificate, PEM")
        ("key", po::value(&key)->required(), "its key, PEM")
        ("data", po::value(&data)->default_value("test/data"), "folder with requests/ and nodes/")
        ("nodes", po::value(&nodes)->default_value(5000), "nodes of the generated requests")
        ("seed", po::value(&seed)->default_value(1), "what they are made from");
    // clang-format on
    po::variables_map values;
    po::store(po::parse_command_line(argc, argv, description), values);
    if (values.count("help")) {
        std::cout << description;
        return std::nullopt;
    }
    po::notify(values);
    if (nodes < 1) throw po::error("--nodes must be at least 1");
    return options{url, {ca, cert, key}, data, static_cast<std::size_t>(nodes), seed};
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto const chosen = parse_options(argc, argv);
        return !chosen || demo(*chosen).run() ? 0 : 1;
    } catch (std::exception const& error) {
        std::cerr << "nodesieve-demo: " << error.what() << '\n';
        return 2;
    }
}
