// Parsing and judging 5,000 nodes in memory, against Boost.JSON's basic_parser that hands its
// events to nobody. Each benchmark checks its answer first.
#include <nodesieve/body_segment.hpp>
#include <nodesieve/request_pipeline.hpp>

#include "generator.hpp"
#include "json_events.hpp"
#include "reply_check.hpp"

#include <benchmark/benchmark.h>
#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace nodesieve;

bench::generated_args const& args() {
    static const auto made = [] {
        const bench::generator nodes({.folder = BENCH_TEMPLATES});
        bench::generator_params params;
        params.min_mib = 40960;
        return nodes.generate(params);
    }();
    return made;
}

const policy& rules() {
    static const policy made({});
    return made;
}

[[noreturn]] void fail(std::string_view what) {
    std::cerr << "wrong answer: " << what << '\n';
    std::exit(1);
}

void check(request_pipeline& pipeline, verb v) {
    if (pipeline.finish() != errc::success) fail(pipeline.failure().detail);
    pipeline.compose();
    std::string reply;
    while (reply.size() < pipeline.reply().size())
        reply.append(pipeline.reply().piece(reply.size()));
    const auto difference = v == verb::filter ? bench::check_filter_reply(args(), reply)
                                              : bench::check_prioritize_reply(args(), reply);
    if (!difference.empty()) fail(difference);
}

void report(benchmark::State& state) {
    const auto count = static_cast<std::int64_t>(state.iterations());
    state.SetBytesProcessed(count * static_cast<std::int64_t>(args().body.size()));
    state.counters["nodes"] = static_cast<double>(args().nodes.size());
}

void basic_parser_alone(benchmark::State& state) {
    auto const& body = args().body;
    boost::json::parse_options options;
    options.max_depth = limits::max_depth;
    for (auto _ : state) {
        boost::json::basic_parser<json_events> parser(options);
        boost::json::error_code ec;
        if (parser.write_some(false, body.data(), body.size(), ec) != body.size())
            fail(ec.message());
    }
    report(state);
}

void pipeline_in_one_piece(benchmark::State& state, verb v) {
    request_pipeline pipeline(rules(), {}, invalid_pod_answer::error);
    pipeline.start(v);
    pipeline.write(args().body);
    check(pipeline, v);
    for (auto _ : state) {
        pipeline.start(v);
        pipeline.write(args().body);
        if (pipeline.finish() != errc::success) fail(pipeline.failure().detail);
    }
    report(state);
}

/// The body in segments, each with the mark of who has it.
class segments {
  public:
    void fill() {
        next_ = 0;
        std::size_t at = 0;
        for (std::size_t i = 0; at < args().body.size(); ++i) {
            if (i == all_.size()) all_.push_back(std::make_unique<entry>());
            auto const& e = all_[i];
            e->segment.clear();
            const auto space = e->segment.prepare();
            const auto count = std::min(space.size(), args().body.size() - at);
            std::memcpy(space.data(), args().body.data() + at, count);
            e->segment.commit(count);
            e->state = stage::free;
            at += count;
        }
    }

    /// Parses ahead the next one that nobody has; false when there is none.
    bool help() {
        const auto i = next_++;
        if (i >= all_.size()) return false;
        auto expected = stage::free;
        if (all_[i]->state.compare_exchange_strong(expected, stage::taken)) {
            all_[i]->segment.parse_ahead();
            all_[i]->state = stage::parsed;
        }
        return true;
    }

    void write_to(request_pipeline& pipeline) {
        for (auto& e : all_) {
            auto expected = stage::free;
            if (!e->state.compare_exchange_strong(expected, stage::taken))
                while (e->state != stage::parsed)
                    if (!help()) std::this_thread::yield();
            pipeline.write(e->segment);
        }
    }

  private:
    enum class stage { free, taken, parsed };
    struct entry {
        body_segment segment{rules().config()};
        std::atomic<stage> state = stage::free;
    };
    std::vector<std::unique_ptr<entry>> all_;
    std::atomic<std::size_t> next_ = 0;
};

/// One thread alone, or one that writes in order and one that parses ahead of it.
void pipeline_in_segments(benchmark::State& state, bool with_help) {
    request_pipeline pipeline(rules(), {}, invalid_pod_answer::error);
    segments body;
    std::atomic<int> round = 0;
    std::atomic<int> helped = 0;
    std::atomic<bool> done = false;
    std::thread helper;
    if (with_help)
        helper = std::thread([&] {
            for (int last = 0; !done; last = round) {
                while (round == last && !done) std::this_thread::yield();
                while (!done && body.help()) {
                }
                helped = round.load();
            }
        });
    const auto run = [&] {
        body.fill();
        pipeline.start(verb::prioritize);
        const auto begin = std::chrono::steady_clock::now();
        if (with_help) ++round;
        body.write_to(pipeline);
        const auto end = std::chrono::steady_clock::now();
        while (with_help && helped != round) std::this_thread::yield();
        return std::chrono::duration<double>(end - begin).count();
    };
    run();
    check(pipeline, verb::prioritize);
    for (auto _ : state) state.SetIterationTime(run());
    done = true;
    if (helper.joinable()) helper.join();
    report(state);
}

BENCHMARK(basic_parser_alone)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pipeline_in_one_piece, prioritize, verb::prioritize)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pipeline_in_one_piece, filter, verb::filter)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pipeline_in_segments, one_thread, false)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();
BENCHMARK_CAPTURE(pipeline_in_segments, two_threads, true)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
