#include "load_generator.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <future>
#include <mutex>
#include <utility>

#include "loopback.hpp"

namespace nodesieve::bench {

namespace asio = boost::asio;

namespace {

constexpr auto progress_interval = std::chrono::milliseconds(100);
constexpr auto longest_warm_up = std::chrono::hours(1);

}  // namespace

struct load_generator::client_thread {
    asio::io_context context{1};
    std::vector<std::unique_ptr<load_connection>> connections;

    load_result run(schedule_for_one const& schedule) {
        load_result result;
        auto const rethrow = [](std::exception_ptr const& failed) {
            if (failed) std::rethrow_exception(failed);
        };
        for (auto const& each : connections)
            asio::co_spawn(context, each->run(schedule(), result), rethrow);
        context.restart();
        context.run();
        return result;
    }
};

load_generator::load_generator(http_url const& url, SSL_CTX* tls, std::string_view body,
                               known_answer& answer, load_setting const& setting)
    : target_{.endpoints = loopback_endpoints(url),
              .host = url.host,
              .tls = url.tls ? tls : nullptr,
              .request = wire_request(url, body, setting.keep_alive),
              .answer = answer,
              .keep_alive = setting.keep_alive,
              .timeout = setting.timeout} {
    for (std::size_t i = 0; i != std::min(setting.threads, setting.connections); ++i)
        threads_.push_back(std::make_unique<client_thread>());
    for (std::size_t i = 0; i != setting.connections; ++i) {
        client_thread& thread = *threads_[i % threads_.size()];
        thread.connections.push_back(std::make_unique<load_connection>(thread.context, target_));
    }
}

load_generator::~load_generator() = default;

load_result load_generator::warm_up(std::uint64_t requests_each) {
    auto const now = request_schedule::clock::now();
    request_schedule::bound const end{.duration = longest_warm_up, .count = requests_each};
    std::mutex mutex;
    std::vector<std::unique_ptr<request_schedule>> schedules;
    auto const own_schedule = [&]() -> request_schedule& {
        std::unique_ptr<request_schedule> made(
            new request_schedule(request_schedule::closed_loop(now, end)));
        std::scoped_lock const lock(mutex);
        return *schedules.emplace_back(std::move(made));
    };
    return run_threads(own_schedule, {});
}

load_result load_generator::run(request_schedule& schedule, progress const& tell) {
    return run_threads([&]() -> request_schedule& { return schedule; }, tell);
}

std::string load_generator::protocol() const {
    return threads_.front()->connections.front()->protocol();
}

load_result load_generator::run_threads(schedule_for_one const& schedule, progress const& tell) {
    target_.finished = 0;
    std::vector<std::future<load_result>> running;
    for (auto const& thread : threads_)
        running.push_back(std::async(std::launch::async, [&] { return thread->run(schedule); }));
    load_result all;
    for (auto& each : running) {
        while (tell && each.wait_for(progress_interval) != std::future_status::ready)
            tell(target_.finished.load(std::memory_order_relaxed));
        all.merge_concurrent(each.get());
    }
    return all;
}

}  // namespace nodesieve::bench
