// Requests that name 5,000 nodes: looking them up, and each stage of the request. Each benchmark
// checks its answer first.
#include <nodesieve/node_index.hpp>
#include <nodesieve/request_pipeline.hpp>

#include "generator.hpp"
#include "reply_check.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace {

using namespace nodesieve;

[[noreturn]] void fail(std::string_view what) {
    std::cerr << "wrong answer: " << what << '\n';
    std::exit(1);
}

bench::generated_args const& args() {
    static const auto made = [] {
        const bench::generator nodes({.folder = BENCH_TEMPLATES});
        bench::generator_params params;
        params.min_mib = 40960;
        params.names_only = true;
        return nodes.generate(params);
    }();
    return made;
}

node_index_builder builder_of_all() {
    node_index_builder builder;
    for (auto const& n : args().nodes) builder.set(n.name, n.memory_mib);
    return builder;
}

named_nodes const& known() {
    static const named_nodes made{named_nodes::readiness::ready, builder_of_all().snapshot(), {}};
    return made;
}

void report(benchmark::State& state) {
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * args().nodes.size()));
}

void find_all(benchmark::State& state) {
    for (auto const& n : args().nodes)
        if (known().index->find(n.name).value().memory_mib != n.memory_mib) fail(n.name);
    for (auto _ : state) {
        std::int64_t sum = 0;
        for (auto const& n : args().nodes) sum += known().index->find(n.name)->memory_mib;
        benchmark::DoNotOptimize(sum);
    }
    report(state);
}

/// One event of a watch: a changed label, and the next state.
void change_one(benchmark::State& state) {
    auto builder = builder_of_all();
    std::int32_t memory = 0;
    for (auto _ : state) {
        auto const& n = args().nodes[static_cast<std::size_t>(++memory) % args().nodes.size()];
        builder.set(n.name, memory % 1000);
        auto next = builder.snapshot();
        benchmark::DoNotOptimize(next);
    }
    if (builder.snapshot().size() != args().nodes.size()) fail("nodes were lost");
}

class prepared {
  public:
    explicit prepared(verb v) : verb_(v) {
        read();
        pipeline_.compose();
        std::string reply;
        while (reply.size() < pipeline_.reply().size())
            reply.append(pipeline_.reply().piece(reply.size()));
        const auto difference = v == verb::filter ? bench::check_filter_reply(args(), reply)
                                                  : bench::check_prioritize_reply(args(), reply);
        if (!difference.empty()) fail(difference);
    }

    void read() {
        pipeline_.start(verb_, known());
        pipeline_.write(args().body);
        if (pipeline_.finish() != errc::success) fail(pipeline_.failure().detail);
    }
    void compose() { pipeline_.compose(); }

  private:
    verb verb_;
    policy rules_{{}};
    request_pipeline pipeline_{rules_, {}, invalid_pod_answer::error};
};

void read_and_judge(benchmark::State& state, verb v) {
    prepared request(v);
    for (auto _ : state) request.read();
    report(state);
}

void read_judge_and_write(benchmark::State& state, verb v) {
    prepared request(v);
    for (auto _ : state) {
        request.read();
        request.compose();
    }
    report(state);
}

BENCHMARK(find_all)->Unit(benchmark::kMicrosecond);
BENCHMARK(change_one)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(read_and_judge, filter_names, verb::filter)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(read_judge_and_write, filter_names, verb::filter)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(read_judge_and_write, prioritize_names, verb::prioritize)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
