#include "log.hpp"

#include "temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <limits>
#include <locale>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace nodesieve::server {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

// 2026-12-01T13:47:44.123Z
constexpr std::chrono::system_clock::time_point noon{1'796'132'864'123ms};

std::string text_line(std::string_view message, std::initializer_list<log::field> fields = {}) {
    return log::line(log_format::text, noon, log::level::info, message, fields);
}

std::string json_line(std::string_view message, std::initializer_list<log::field> fields = {}) {
    return log::line(log_format::json, noon, log::level::info, message, fields);
}

/// `value` as the text format shows it.
std::string shown(auto const& value) {
    const auto line = text_line("m", {{"v", value}});
    const auto equals = line.find('=');
    return line.substr(equals + 1, line.size() - equals - 2);
}

/// `value` as a reader of the JSON format gets it.
boost::json::value reread(auto const& value) {
    return boost::json::parse(json_line("m", {{"v", value}})).at("v");
}

/// What hostile text could do, one line each.
const std::vector<std::string> hostile_texts = {
    "a\nb",
    "a\r\nb",
    "\nb",
    "\x1b[31mred",
    std::string("nul\0nul", 7),
    "\x7f",
    "c1 \xc2\x9b",
    "next line \xc2\x85",
    "separators \xe2\x80\xa8\xe2\x80\xa9",
    "\" level=error \"",
    "\\\"",
    "\xff\xfe",
    "overlong \xc0\xaf",
    "surrogate \xed\xa0\x80",
    "beyond \xf5\x80\x80\x80",
    "cut \xf0\x9f\x98",
    "cut \xe2\x82\n",
    std::string(100'000, '\n'),
    std::string(100'000, '\xff'),
};

class pipe_end {
  public:
    explicit pipe_end(int descriptor) : descriptor_(descriptor) {}
    ~pipe_end() { close(); }
    pipe_end(pipe_end const&) = delete;
    pipe_end& operator=(pipe_end const&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }
    void close() {
        if (descriptor_ >= 0) ::close(descriptor_);
        descriptor_ = -1;
    }

  private:
    int descriptor_;
};

std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    BOOST_REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    return ends;
}

std::string read_all(int descriptor) {
    std::string result;
    std::array<char, 4096> piece{};
    for (ssize_t size = 0; (size = ::read(descriptor, piece.data(), piece.size())) > 0;)
        result.append(piece.data(), static_cast<std::size_t>(size));
    return result;
}

BOOST_AUTO_TEST_SUITE(log_test)

BOOST_AUTO_TEST_CASE(writes_text) {
    BOOST_TEST(text_line("listening", {{"address", "127.0.0.1:8443"}, {"threads", 2}}) ==
               "2026-12-01T13:47:44.123Z info listening address=127.0.0.1:8443 threads=2\n");
    BOOST_TEST(log::line(log_format::text, std::chrono::system_clock::time_point{},
                         log::level::warning, "two words",
                         {}) == "1970-01-01T00:00:00.000Z warning two words\n");
}

BOOST_AUTO_TEST_CASE(writes_json) {
    BOOST_TEST(json_line("listening", {{"address", "[::1]:8443"}, {"tls", true}}) ==
               R"({"time":"2026-12-01T13:47:44.123Z","level":"info","message":"listening",)"
               R"("address":"[::1]:8443","tls":true})"
               "\n");
    BOOST_TEST(log::line(log_format::json, noon, log::level::error, "m", {}) ==
               R"({"time":"2026-12-01T13:47:44.123Z","level":"error","message":"m"})"
               "\n");
}

BOOST_AUTO_TEST_CASE(quotes_text_values_where_needed) {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"plain/value:1", "plain/value:1"},
        {"", R"("")"},
        {"two words", R"("two words")"},
        {"a=b", R"("a=b")"},
        {R"(say "hi")", R"("say \"hi\"")"},
        {R"(C:\)", R"("C:\\")"},
        {"a\nb\r\t", R"("a\nb\r\t")"},
        {"\x1b[0m\x7f", R"("\u001b[0m\u007f")"},
        {"\xc2\x9b", R"("\u009b")"},
        {"\xe2\x80\xa8\xe2\x80\xa9", R"("\u2028\u2029")"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xff", "\"\xef\xbf\xbd\""},
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
    };
    for (auto const& [value, expected] : cases) BOOST_TEST_CONTEXT(expected) {
            BOOST_TEST(shown(value) == expected);
        }
}

BOOST_AUTO_TEST_CASE(keeps_one_line_and_valid_json_for_hostile_text) {
    for (auto const& text : hostile_texts)
        for (auto const format : {log_format::text, log_format::json})
            BOOST_TEST_CONTEXT(in_quotes(text).substr(0, 100)) {
                const auto line =
                    log::line(format, noon, log::level::info, text, {{"v", text}, {"end", 1}});
                BOOST_TEST(std::count(line.begin(), line.end(), '\n') == 1);
                BOOST_TEST(line.ends_with(format == log_format::json ? "1}\n" : "end=1\n"));
                BOOST_TEST(std::none_of(line.begin(), line.end() - 1, [](char c) {
                    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
                }));
                if (format == log_format::json) {
                    const auto parsed = boost::json::parse(line).as_object();
                    BOOST_TEST(parsed.size() == 5U);
                    BOOST_TEST(parsed.at("end").as_int64() == 1);
                }
            }
}

BOOST_AUTO_TEST_CASE(json_gives_text_back) {
    for (auto const text :
         {""sv, "two words"sv, "\"\\/\b\f\n\r\t\0"sv, "\x7f \xc2\x85 \xe2\x80\xa8"sv,
          "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf"sv})
        BOOST_TEST_CONTEXT(in_quotes(text)) { BOOST_TEST((reread(text).as_string() == text)); }
}

BOOST_AUTO_TEST_CASE(cuts_long_values_between_characters) {
    for (std::size_t shift = 0; shift < 4; ++shift) BOOST_TEST_CONTEXT(shift) {
            std::string text(shift, '.');
            while (text.size() <= log::max_value_bytes) text += "\xf0\x9f\x98\x80";
            const auto cut = shown(text);
            BOOST_TEST(cut.ends_with("\x80...\""));
            BOOST_TEST(cut.size() <= log::max_value_bytes + 5);
            BOOST_TEST(cut.size() > log::max_value_bytes);
            BOOST_TEST(cut.find("\xef\xbf\xbd") == std::string::npos);
        }
    const std::string longest(log::max_value_bytes, 'x');
    BOOST_TEST(shown(longest) == longest);
}

BOOST_AUTO_TEST_CASE(takes_every_kind_of_number) {
    BOOST_TEST(shown(-1) == "-1");
    BOOST_TEST(shown(1U) == "1");
    BOOST_TEST(shown(std::size_t{2}) == "2");
    BOOST_TEST(shown(std::uint16_t{65535}) == "65535");
    BOOST_TEST(shown(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    BOOST_TEST(shown(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
    BOOST_TEST(shown(0.1) == "0.1");
    BOOST_TEST(shown(-1.7976931348623157e308) == "-1.7976931348623157e+308");
    BOOST_TEST(shown(true) == "true");
    BOOST_TEST(shown(std::string("s")) == "s");
    BOOST_TEST(shown(std::numeric_limits<double>::infinity()) == "inf");
    BOOST_TEST(reread(std::numeric_limits<double>::quiet_NaN()).is_null());
    BOOST_TEST(reread(2.5).as_double() == 2.5);
}

BOOST_AUTO_TEST_CASE(does_not_follow_the_locale) {
    struct comma : std::numpunct<char> {
        [[nodiscard]] char do_decimal_point() const override { return ','; }
        [[nodiscard]] char do_thousands_sep() const override { return '.'; }
        [[nodiscard]] std::string do_grouping() const override { return "\3"; }
    };
    const auto before = std::locale::global(std::locale(std::locale::classic(), new comma));
    const auto line = json_line("m", {{"a", 1234567.5}, {"b", 1234567}});
    std::locale::global(before);
    BOOST_TEST(line.ends_with("\"a\":1234567.5,\"b\":1234567}\n"));
}

BOOST_AUTO_TEST_CASE(lines_of_many_threads_do_not_mix) {
    constexpr int threads = 4;
    constexpr int lines = 200;
    const test::temporary_directory directory;
    const auto file = directory.write("log", "");
    const pipe_end writing(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    log out(log_format::json, writing.descriptor());
    const std::string long_value(1000, 'x');
    {
        std::vector<std::jthread> writers;
        for (int thread = 0; thread < threads; ++thread)
            writers.emplace_back([&out, &long_value, thread] {
                for (int i = 0; i < lines; ++i)  // longer than PIPE_BUF, so more than one ::write
                    out.write(log::level::info, "m",
                              {{"a", long_value},
                               {"b", long_value},
                               {"c", long_value},
                               {"d", long_value},
                               {"e", long_value},
                               {"id", thread * lines + i}});
            });
    }
    std::set<std::int64_t> seen;
    std::ifstream read(file);
    for (std::string line; std::getline(read, line);)
        seen.insert(boost::json::parse(line).at("id").as_int64());
    BOOST_TEST(seen.size() == static_cast<std::size_t>(threads * lines));
}

BOOST_AUTO_TEST_CASE(stamps_lines_with_the_time_of_the_call) {
    const auto ends = make_pipe();
    const pipe_end reading(ends[0]);
    pipe_end writing(ends[1]);
    log out(log_format::text, writing.descriptor());
    const auto from =
        log::line(log_format::text, std::chrono::system_clock::now(), log::level::info, "m", {});
    out.write(log::level::info, "m");
    const auto until =
        log::line(log_format::text, std::chrono::system_clock::now(), log::level::info, "m", {});
    writing.close();
    const auto line = read_all(reading.descriptor());
    BOOST_TEST(from <= line);
    BOOST_TEST(line <= until);
}

BOOST_AUTO_TEST_CASE(survives_a_descriptor_that_takes_nothing) {
    auto* const before = std::signal(SIGPIPE, SIG_IGN);
    const auto ends = make_pipe();
    pipe_end reading(ends[0]);
    const pipe_end writing(ends[1]);
    reading.close();
    log no_reader(log_format::text, writing.descriptor());
    no_reader.write(log::level::error, "m");
    log closed(log_format::json, -1);
    closed.write(log::level::error, "m", {{"a", 1}});
    std::signal(SIGPIPE, before);
}

BOOST_AUTO_TEST_CASE(throttle_admits_so_many_lines_in_any_second) {
    log_throttle throttle(2);
    const log_throttle::time_point start{};
    struct {
        std::chrono::milliseconds at;
        int suppressed;  // -1: not admitted
    } const cases[] = {
        {0ms, 0},     {900ms, 0},  {900ms, -1}, {999ms, -1},  {1000ms, 2}, {1001ms, -1},
        {1899ms, -1}, {1900ms, 2}, {2000ms, 0}, {1500ms, -1}, {9000ms, 1},
    };
    for (auto const& c : cases) BOOST_TEST_CONTEXT(c.at.count() << " ms") {
            const auto admitted = throttle.admit(start + c.at);
            BOOST_TEST((admitted ? static_cast<int>(*admitted) : -1) == c.suppressed);
        }
}

BOOST_AUTO_TEST_CASE(throttle_counts_every_line_of_many_threads) {
    log_throttle throttle(3);
    const log_throttle::time_point now{};
    std::atomic<int> admitted = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&] {
            for (int i = 0; i < 100; ++i) admitted += throttle.admit(now).has_value() ? 1 : 0;
        });
    threads.clear();
    BOOST_TEST(admitted == 3);
    BOOST_TEST(throttle.admit(now + 1s).value() == 397U);
}

BOOST_AUTO_TEST_CASE(does_not_wait_for_a_reader_and_tells_it_how_many_lines_it_missed) {
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    log to_pipe(log_format::text, ends[1]);
    const std::string value(900, 'x');
    for (int i = 0; i < 1000; ++i) to_pipe.write(log::level::info, "line", {{"value", value}});

    std::string seen(2'000'000, '\0');
    seen.resize(static_cast<std::size_t>(::read(ends[0], seen.data(), seen.size())));
    const auto written = std::ranges::count(seen, '\n');
    BOOST_TEST(written > 10);
    BOOST_TEST(written < 1000);

    to_pipe.write(log::level::info, "again");
    seen.resize(100'000);
    seen.resize(static_cast<std::size_t>(::read(ends[0], seen.data(), seen.size())));
    BOOST_TEST(seen.find("lines=" + std::to_string(1000 - written) + "\n") != std::string::npos);
    BOOST_TEST(seen.find(" again\n") != std::string::npos);
    ::close(ends[0]);
    ::close(ends[1]);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace nodesieve::server
