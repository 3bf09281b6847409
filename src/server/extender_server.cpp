#include "extender_server.hpp"

#include "admin.hpp"
#include "cpu_quota.hpp"
#include "event_loops.hpp"
#include "kube_client.hpp"
#include "kube_config.hpp"
#include "listener.hpp"
#include "node_watch.hpp"
#include "service.hpp"
#include "session.hpp"
#include "tls_context.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <future>
#include <optional>

namespace nodesieve::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

std::optional<tls_setup> make_tls(options const& settings) {
    if (settings.insecure_http) return std::nullopt;
    return make_tls_context({settings.tls_cert, settings.tls_key, settings.client_ca});
}

/// The API server's address and credentials, each of which can be used now.
kube_config make_kube_config(options const& settings) {
    if (settings.kubeconfig.empty()) {
        auto result = in_cluster_config([](char const* name) { return std::getenv(name); });
        check_credentials(result, "--node-cache=watch");
        return result;
    }
    auto result = read_kubeconfig(settings.kubeconfig);
    check_credentials(result, "--kubeconfig=" + in_quotes(settings.kubeconfig.native()));
    return result;
}

/// So many that some descriptors are left for the admin port: probes must get through when the
/// extender's port is flooded.
std::size_t connection_limit() {
    constexpr rlim_t left = 64;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024 - left;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > 2 * left ? limit.rlim_cur - left : limit.rlim_cur / 2;
}

/// Tells when the last of several things has ended.
class countdown {
  public:
    void begin() noexcept { ++running_; }
    void end() {
        if (--running_ == 0) done_.set_value();
    }
    void wait() { done_.get_future().wait(); }

  private:
    std::atomic<std::size_t> running_ = 0;
    std::promise<void> done_;
};

}  // namespace

struct extender_server::state {
    state(options chosen, log& logged)
        : settings(std::move(chosen)),
          measured(NODESIEVE_VERSION),
          loops(settings.threads > 0 ? settings.threads : usable_cpus()),
          shared(settings, loops, measured, logged),
          tls(make_tls(settings)),
          extender_port(open_listener(control().get_executor(), "--listen", settings.listen)),
          admin_port(
              open_listener(control().get_executor(), "--admin-listen", settings.admin_listen)),
          signals(control()) {
        if (tls) warnings = tls->warnings;
        if (shared.node_cache) watch_nodes(*shared.node_cache);
    }

    void watch_nodes(node_cache& cache) {
        auto config = make_kube_config(settings);
        warnings.insert(warnings.end(), config.warnings.begin(), config.warnings.end());
        measured.add_node_cache([&cache, started = node_cache::clock::now()] {
            const auto age = cache.age();
            return node_cache_reading{age.value_or(node_cache::clock::now() - started),
                                      cache.size()};
        });
        node_watch_settings chosen;
        chosen.watch_silence = settings.node_cache_max_age / 2;
        node_watch_output output{[&cache](node_index nodes) { cache.publish(std::move(nodes)); },
                                 [&cache] { cache.heard(); }};
        watch.emplace(std::move(config), settings.policy, chosen, std::move(output), measured,
                      shared.log);
    }

    /// Runs the ports and the shutdown.
    asio::io_context& control() { return loops.front(); }

    auto log_failure() {
        return [this](std::exception_ptr failure) {
            if (!failure) return;
            try {
                std::rethrow_exception(failure);
            } catch (std::exception const& e) {
                shared.log.write(log::level::error, "connection ended by a failure",
                                 {{"error", std::string_view(e.what())}});
            }
        };
    }

    void serve_extender_port() {
        auto hand_over = [this](tcp::socket socket) {
            if (shared.connections.size() >= max_connections) {
                if (const auto suppressed =
                        shared.accept_errors.admit(std::chrono::steady_clock::now()))
                    shared.log.write(
                        log::level::error, "connection refused: too many are open",
                        {{"connections", max_connections}, {"suppressed", *suppressed}});
                return;
            }
            const auto executor = socket.get_executor();
            auto session = tls ? serve_tls(std::move(socket), tls->context.native_handle(), shared)
                               : serve_plain(std::move(socket), shared);
            open.begin();
            asio::co_spawn(executor, std::move(session),
                           [this, log = log_failure()](std::exception_ptr failure) {
                               log(failure);
                               open.end();
                           });
        };
        open.begin();  // the loop itself, so that a connection just accepted is not missed
        asio::co_spawn(control(),
                       accept_connections(extender_port, loops, std::move(hand_over),
                                          shared.draining, shared.log, shared.accept_errors),
                       [this](std::exception_ptr) { open.end(); });
    }

    void serve_admin_port() {
        auto hand_over = [this](tcp::socket socket) {
            const auto executor = socket.get_executor();
            asio::co_spawn(executor, serve_admin(std::move(socket), shared), log_failure());
        };
        asio::co_spawn(control(),
                       accept_connections(admin_port, loops, std::move(hand_over), admin_stops,
                                          shared.log, shared.accept_errors),
                       log_failure());
    }

    /// On control().
    void drain() {
        if (shared.draining.exchange(true)) return;
        shared.log.write(log::level::info, "shutting down, requests in flight are finished");
        boost::system::error_code ignored;
        extender_port.cancel(ignored);
        shared.connections.wake_all();
    }

    // In order of construction: what connections use goes behind them.
    const options settings;
    metrics measured;
    event_loops loops;
    service shared;
    std::optional<tls_setup> tls;
    std::vector<std::string> warnings;
    std::optional<node_watch> watch;
    const std::atomic<bool> admin_stops = false;  // it ends with the loops
    countdown open;                               // the extender's port and its connections
    const std::size_t max_connections = connection_limit();
    bool started = false;
    bool waited = false;
    tcp::acceptor extender_port;
    tcp::acceptor admin_port;
    asio::signal_set signals;
};

extender_server::extender_server(options settings, log& logged)
    : state_(std::make_unique<state>(std::move(settings), logged)) {}

extender_server::~extender_server() {
    if (!state_->started || state_->waited) return;
    stop();
    wait();
}

void extender_server::start() {
    state_->started = true;
    state_->serve_extender_port();
    state_->serve_admin_port();
    if (state_->watch) state_->watch->start();
    state_->loops.start();
}

void extender_server::stop() {
    asio::post(state_->control(), [s = state_.get()] { s->drain(); });
}

void extender_server::wait() {
    state_->open.wait();
    state_->waited = true;
    if (state_->watch) state_->watch->stop();
    // The admin port answers until here.
    state_->loops.stop();
}

void extender_server::stop_on_signals() {
    state_->signals.add(SIGTERM);
    state_->signals.add(SIGINT);
    state_->signals.async_wait([s = state_.get()](boost::system::error_code ec, int) {
        if (ec) return;
        s->drain();
        // From here on a second signal ends the process as it would any other.
        boost::system::error_code ignored;
        s->signals.clear(ignored);
    });
}

tcp::endpoint extender_server::address() const { return state_->extender_port.local_endpoint(); }
tcp::endpoint extender_server::admin_address() const { return state_->admin_port.local_endpoint(); }
unsigned extender_server::threads() const noexcept {
    return static_cast<unsigned>(state_->loops.size());
}

std::vector<std::string> const& extender_server::warnings() const noexcept {
    return state_->warnings;
}

}  // namespace nodesieve::server
