// Loads an extender, and tells how long right answers took. See docs/bench.md.

#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>

#include "bench_options.hpp"
#include "bench_run.hpp"
#include "report/bench_report.hpp"

namespace {

using namespace nodesieve::bench;

int run(bench_options const& options) {
    std::ofstream page;
    if (options.report) {
        page.open(*options.report);
        if (!page) throw std::runtime_error(options.report->string() + ": cannot be written");
    }
    bench_report const report = run_bench(options);
    if (options.json)
        write_json(std::cout, report);
    else
        write_text(std::cout, report);
    if (options.report) {
        write_html(page, report);
        page.close();
        if (!page) throw std::runtime_error(options.report->string() + ": writing failed");
    }
    return report.all_right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    // A server that closes early is an error to count, not the end of this process.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        bench_options const options = bench_options::parse(argc, argv);
        if (options.help) {
            std::cout << bench_options::help_text();
            return 0;
        }
        return run(options);
    } catch (load_failure const& failure) {
        std::cerr << "nodesieve-bench: " << failure.what() << '\n';
        return 1;
    } catch (std::exception const& error) {
        std::cerr << "nodesieve-bench: " << error.what() << '\n';
        return 2;
    }
}
