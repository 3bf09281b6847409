#include "node_watch.hpp"

#include "index_writer.hpp"
#include "node_requests.hpp"
#include "watch_log.hpp"

#include <nodesieve/api_status.hpp>
#include <nodesieve/node_list_parser.hpp>
#include <nodesieve/watch_event_parser.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <exception>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace nodesieve::server {
namespace {

namespace asio = boost::asio;
using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto token = asio::as_tuple(asio::use_awaitable);
/// Many times what Kubernetes supports: an endless list must end.
constexpr std::size_t max_nodes = 100'000;
constexpr std::size_t max_refusal_bytes = 16 * 1024;
constexpr std::chrono::seconds lasting{1};

watch_outcome outcome_of(kube_failure step) {
    switch (step) {
        case kube_failure::credentials: return watch_outcome::credentials;
        case kube_failure::connect: return watch_outcome::connect;
        case kube_failure::tls: return watch_outcome::tls;
        case kube_failure::timeout: return watch_outcome::timeout;
        case kube_failure::broken: break;
    }
    return watch_outcome::broken;
}

watch_attempt too_many_nodes() {
    return {watch_outcome::malformed,
            "expected at most " + std::to_string(max_nodes) + " nodes, got more"};
}

}  // namespace

class node_watch::loop {
  public:
    loop(kube_config config, policy_config const& policy, node_watch_settings settings,
         node_watch_output output, metrics& measured, log& logged)
        : config_(std::move(config)),
          policy_(policy),
          settings_(settings),
          output_(std::move(output)),
          metrics_(measured),
          log_(logged),
          reports_(logged),
          schedule_(settings.backoff,
                    [this] { return std::uniform_real_distribution<double>()(random_); }),
          client_(io_.get_executor(), config_, settings.timeouts) {}

    void start() {
        asio::co_spawn(io_, run(), asio::detached);
        thread_ = std::jthread([this] { io_.run(); });
    }
    void stop() {
        io_.stop();
        if (thread_.joinable()) thread_.join();
    }

  private:
    template <class T>
    using awaitable = asio::awaitable<T>;

    awaitable<void> run();
    awaitable<watch_step> take(watch_step step);
    awaitable<watch_attempt> list();
    awaitable<watch_attempt> list_page(node_list_parser& parser, std::string continue_token);
    awaitable<watch_attempt> watch();
    awaitable<watch_attempt> follow(watch_event_parser& parser);
    awaitable<watch_attempt> refusal();
    watch_attempt failure() const {
        return {outcome_of(client_.failure()->step), client_.failure()->why};
    }
    watch_attempt silence() const {
        return {watch_outcome::silent, "no event and no bookmark for " +
                                           std::to_string(settings_.watch_silence.count()) + " ms"};
    }
    /// Hands on what the events of one read changed.
    void finish_batch();

    const kube_config config_;
    policy_config const& policy_;
    const node_watch_settings settings_;
    const node_watch_output output_;
    server::metrics& metrics_;
    server::log& log_;
    watch_log reports_;
    std::mt19937 random_{std::random_device{}()};
    watch_schedule schedule_;
    index_writer nodes_{metrics_};

    asio::io_context io_{1};
    kube_client client_;
    std::array<char, 32 * 1024> buffer_{};
    std::jthread thread_;
};

node_watch::loop::awaitable<void> node_watch::loop::run() {
    asio::steady_timer timer(io_);
    watch_step step;
    for (;;) {
        if (step.delay > milliseconds(0)) {
            client_.close();  // what follows a failure starts afresh
            timer.expires_after(step.delay);
            co_await timer.async_wait(token);
        }
        std::string bug;
        try {
            step = co_await take(step);
        } catch (std::exception const& e) {
            bug = e.what();
        }
        if (bug.empty()) continue;
        log_.write(log::level::error, "node watch failed, listing again", {{"error", bug}});
        client_.close();
        step = schedule_.after_list(watch_outcome::malformed);
    }
}

node_watch::loop::awaitable<watch_step> node_watch::loop::take(watch_step step) {
    const bool is_list = step.what == watch_step::kind::list;
    watch_attempt attempt;
    if (is_list)
        attempt = co_await list();
    else
        attempt = co_await watch();
    const bool metadata_only = schedule_.metadata_only();
    const auto next =
        is_list ? schedule_.after_list(attempt.outcome, attempt.retry_after)
                : schedule_.after_watch(attempt.outcome, attempt.progressed, attempt.retry_after);
    if (attempt.outcome == watch_outcome::done) co_return next;
    if (metadata_only && !schedule_.metadata_only()) {
        log_.write(log::level::info,
                   "the API server gives no metadata-only nodes: asking for full ones");
        co_return next;
    }
    client_.close();
    if (is_list) metrics_.count_node_list(false);
    metrics_.count_watch_failure(slug(attempt.outcome));
    reports_.failed(step.what, attempt, next, clock::now());
    co_return next;
}

node_watch::loop::awaitable<watch_attempt> node_watch::loop::list() {
    const auto began = clock::now();
    index_writer listed(metrics_);
    node_list_parser parser(policy_, listed);
    std::string continue_token;
    std::size_t count = 0;
    do {
        auto page = co_await list_page(parser, continue_token);
        if (page.outcome != watch_outcome::done) co_return page;
        count += parser.nodes();
        continue_token = parser.continue_token();
        if (count > max_nodes) co_return too_many_nodes();
        if (parser.nodes() == 0 && !continue_token.empty())
            co_return watch_attempt{watch_outcome::malformed,
                                    "expected nodes in each page but the last, got none"};
    } while (!continue_token.empty());

    listed.finish_list(parser.resource_version());
    nodes_ = std::move(listed);
    output_.publish(nodes_.nodes());
    metrics_.count_node_list(true);
    reports_.listed(nodes_.nodes().size(),
                    std::chrono::duration_cast<milliseconds>(clock::now() - began));
    co_return watch_attempt{};
}

node_watch::loop::awaitable<watch_attempt> node_watch::loop::list_page(node_list_parser& parser,
                                                                       std::string continue_token) {
    auto request = list_request(continue_token, schedule_.metadata_only());
    const bool answered =
        co_await client_.get(std::move(request.target), std::move(request.accept));
    if (!answered) co_return failure();
    if (client_.reply().status != 200) {
        auto refused = co_await refusal();
        co_return refused;
    }
    parser.start();
    for (;;) {
        const auto size = co_await client_.body(buffer_, settings_.list_silence);
        if (client_.failure()) co_return failure();
        if (size == 0) break;
        if (!parser.write({buffer_.data(), size})) break;
        if (parser.nodes() > max_nodes) co_return too_many_nodes();
    }
    if (parser.failure().empty() && parser.finish()) co_return watch_attempt{};
    co_return watch_attempt{watch_outcome::malformed, parser.failure()};
}

node_watch::loop::awaitable<watch_attempt> node_watch::loop::watch() {
    auto request = watch_request(nodes_.resource_version(), schedule_.watch_timeout(),
                                 schedule_.metadata_only());
    const bool answered =
        co_await client_.get(std::move(request.target), std::move(request.accept));
    if (!answered) co_return failure();
    if (client_.reply().status != 200) {
        auto refused = co_await refusal();
        co_return refused;
    }
    reports_.watching();
    const auto began = clock::now();
    nodes_.start_watch();
    watch_event_parser parser(policy_, nodes_);
    parser.start();
    auto result = co_await follow(parser);
    result.progressed = nodes_.progressed() || clock::now() - began >= lasting;
    co_return result;
}

/// Until the watch ends.
node_watch::loop::awaitable<watch_attempt> node_watch::loop::follow(watch_event_parser& parser) {
    auto silent_at = clock::now() + settings_.watch_silence;
    for (;;) {
        const auto left = std::chrono::ceil<milliseconds>(silent_at - clock::now());
        const auto size = co_await client_.body(buffer_, std::max(left, milliseconds(1)));
        if (client_.failure()) {
            auto failed = failure();
            if (failed.outcome == watch_outcome::timeout) co_return silence();
            co_return failed;
        }
        if (size == 0) break;
        nodes_.start_batch();
        const bool understood = parser.write({buffer_.data(), size});
        finish_batch();
        if (nodes_.nodes().size() > max_nodes) co_return too_many_nodes();
        if (auto const& error = nodes_.error())
            co_return watch_attempt{outcome_of_status(static_cast<unsigned>(error->code)),
                                    to_line(*error)};
        if (!understood) co_return watch_attempt{watch_outcome::malformed, parser.failure()};
        if (nodes_.heard())
            silent_at = clock::now() + settings_.watch_silence;
        else if (clock::now() >= silent_at)
            co_return silence();  // for all the bytes that came
    }
    if (parser.between_events()) co_return watch_attempt{};
    co_return watch_attempt{watch_outcome::malformed, "the watch ended within an event"};
}

void node_watch::loop::finish_batch() {
    if (nodes_.finish_batch())
        output_.publish(nodes_.nodes());
    else if (nodes_.heard())
        output_.heard();
}

/// Of an answer that is not 200.
node_watch::loop::awaitable<watch_attempt> node_watch::loop::refusal() {
    const auto reply = client_.reply();
    watch_attempt result{outcome_of_status(reply.status), "HTTP " + std::to_string(reply.status),
                         reply.retry_after};
    std::string text;
    while (text.size() < max_refusal_bytes) {
        const auto size = co_await client_.body(buffer_, settings_.timeouts.header);
        if (client_.failure()) co_return result;
        if (size == 0) break;
        text.append(buffer_.data(), size);
    }
    if (text.size() >= max_refusal_bytes) client_.close();
    if (const auto status = parse_api_status(text)) result.why = "HTTP " + to_line(*status);
    co_return result;
}

node_watch::node_watch(kube_config config, policy_config const& policy,
                       node_watch_settings settings, node_watch_output output, metrics& measured,
                       log& logged)
    : loop_(std::make_unique<loop>(std::move(config), policy, settings, std::move(output), measured,
                                   logged)) {}
node_watch::~node_watch() { loop_->stop(); }

void node_watch::start() { loop_->start(); }
void node_watch::stop() { loop_->stop(); }

}  // namespace nodesieve::server
