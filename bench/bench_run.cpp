#include "bench_run.hpp"

#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include "load/known_answer.hpp"
#include "load/load_generator.hpp"
#include "reply_check.hpp"
#include "reply_verdicts.hpp"
#include "report/progress_bar.hpp"
#include "report/quantity_text.hpp"

namespace nodesieve::bench {

namespace {

using clock = request_schedule::clock;

std::string read_file(std::filesystem::path const& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text(in ? std::filesystem::file_size(file) : 0, '\0');
    if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
        throw std::runtime_error(file.string() + ": cannot be read");
    return text;
}

// The body, and what is known of the answers to it.
class question {
  public:
    explicit question(bench_options const& options) : verb_(options.path_verb) {
        if (options.body_file) {
            args_.body = read_file(*options.body_file);
        } else {
            args_ = generator({.folder = options.templates}).generate(options.generated);
            generated_ = true;
        }
    }

    [[nodiscard]] std::string_view body() const { return args_.body; }
    [[nodiscard]] std::optional<std::uint64_t> nodes() const {
        return generated_ ? std::optional<std::uint64_t>(args_.nodes.size()) : std::nullopt;
    }

    // Byte for byte, or, for another implementation, by its verdicts. Where nothing is known the
    // answers are still compared with the first: so the client does the same for every server.
    [[nodiscard]] std::unique_ptr<known_answer> answer(bool known, bool by_bytes) const {
        if (!known || !generated_) return std::make_unique<known_answer>();
        auto const check = verb_ == bench_options::verb::filter
                               ? (by_bytes ? check_filter_reply : check_filter_verdicts)
                               : (by_bytes ? check_prioritize_reply : check_prioritize_verdicts);
        return std::make_unique<known_answer>(
            [this, check](std::string_view reply) { return check(args_, reply); });
    }

  private:
    bench_options::verb verb_;
    generated_args args_;
    bool generated_ = false;
};

struct loaded_server {
    server_report report;
    std::unique_ptr<known_answer> answer;
    std::unique_ptr<load_generator> load;
};

class bench_run {
  public:
    explicit bench_run(bench_options const& options) : options_(options), question_(options) {
        if (options.tls) tls_.emplace(make_tls_client(*options.tls));
        for (bench_options::server const& each : options.servers) add(each);
        result_.machine = machine_facts::of_this_one();
        result_.body_bytes = question_.body().size();
        result_.nodes = question_.nodes();
        describe_setting();
    }

    bench_report run() {
        for (loaded_server& each : servers_) warm_up(each);
        std::optional<process_usage> before;
        if (options_.pid) before = process_usage::of(*options_.pid);
        if (options_.compares())
            run_comparison();
        else
            servers_.front().report.result = run_load(servers_.front());
        if (before) take_usage_since(*before);
        for (loaded_server& each : servers_) {
            each.report.protocol = each.load->protocol();
            result_.servers.push_back(std::move(each.report));
        }
        return std::move(result_);
    }

  private:
    void add(bench_options::server const& server) {
        loaded_server made;
        made.report.label = static_cast<char>('A' + servers_.size() % 26);
        made.report.url = server.url.text();
        made.report.checked = server.checked && question_.nodes();
        made.answer = question_.answer(server.checked, servers_.empty());
        made.load =
            std::make_unique<load_generator>(server.url, tls_ ? tls_->native_handle() : nullptr,
                                             question_.body(), *made.answer, options_.load);
        servers_.push_back(std::move(made));
    }

    void warm_up(loaded_server& server) {
        bar_.draw(0, "warming up " + server.report.url);
        load_result const result = server.load->warm_up(options_.warm_up);
        if (result.errors.count() == 0) return;
        auto const& [kind, entry] = *result.errors.by_kind().begin();
        throw load_failure(server.report.url + ": " + kind + ": " + entry.first_detail);
    }

    load_result run_load(loaded_server& server) {
        auto const start = clock::now();
        auto schedule = options_.rate
                            ? request_schedule::open_loop(start, options_.end, *options_.rate)
                            : request_schedule::closed_loop(start, options_.end);
        auto const tell = [&](std::uint64_t finished) {
            auto const elapsed = clock::now() - start;
            double done = std::chrono::duration<double>(elapsed) / options_.end.duration;
            if (options_.end.count)
                done = std::max(
                    done, static_cast<double>(finished) / static_cast<double>(*options_.end.count));
            bar_.draw(done, duration_text(elapsed) + ", " + count_text(finished) + " requests");
        };
        load_generator::progress progress;
        if (bar_.shown()) progress = tell;
        return server.load->run(schedule, progress);
    }

    void take_usage_since(process_usage const& before) {
        try {
            result_.usage = {before, process_usage::of(*options_.pid)};
        } catch (std::exception const& gone) {
            result_.notes.emplace_back(gone.what());
        }
    }

    void run_comparison() {
        std::vector<contestant> contestants;
        for (loaded_server& each : servers_)
            contestants.push_back({each.report.url, [this, &each] {
                                       auto turn = request_schedule::closed_loop(clock::now(),
                                                                                 options_.end);
                                       return each.load->run(turn);
                                   }});
        auto const tell = [this](std::size_t done, std::size_t all) {
            bar_.draw(static_cast<double>(done) / static_cast<double>(all),
                      "turn " + std::to_string(done) + " of " + std::to_string(all));
        };
        comparison_result compared = compare(contestants, options_.rounds, tell);
        for (std::size_t i = 0; i != servers_.size(); ++i) {
            servers_[i].report.result = std::move(compared.servers[i].result);
            servers_[i].report.round_p50s = std::move(compared.servers[i].round_p50s);
        }
        result_.figures = std::move(compared.figures);
        result_.rounds = options_.rounds;
    }

    void set(std::string name, std::string value) {
        result_.setting.emplace_back(std::move(name), std::move(value));
    }

    void describe_setting() {
        describe_body();
        load_setting const& load = options_.load;
        if (options_.rate)
            set("loop", "open, " + number_text(*options_.rate) + " requests/s");
        else
            set("loop", options_.compares() ? "closed, servers in turn" : "closed");
        set("connections",
            count_text(load.connections) + (load.keep_alive ? "" : ", no keep-alive"));
        if (load.threads > 1) set("client threads", count_text(load.threads));
        if (options_.compares())
            set("rounds", count_text(options_.rounds) + " of " + count_text(*options_.end.count) +
                              (*options_.end.count == 1 ? " request" : " requests"));
        else if (options_.end.count)
            set("count", count_text(*options_.end.count));
        if (!options_.compares() && options_.end.duration < std::chrono::hours(1))
            set("duration", duration_text(options_.end.duration));
        set("warm-up", count_text(options_.warm_up));
        set("timeout", duration_text(load.timeout));
    }

    void describe_body() {
        auto const bytes = static_cast<double>(question_.body().size());
        if (options_.body_file) {
            set("body", options_.body_file->filename().string() + ", " + bytes_text(bytes));
            return;
        }
        generator_params const& made = options_.generated;
        auto const nodes = static_cast<double>(made.nodes);
        set("nodes", count_text(made.nodes) + (made.names_only ? " (names)" : ""));
        set("body", bytes_text(bytes) + " (" + bytes_text(bytes / nodes) + " a node)");
        set("seed", std::to_string(made.seed));
        if (made.images) set("images", std::to_string(*made.images) + " a node");
        if (made.gpu_percent) set("with GPUs", std::to_string(*made.gpu_percent) + " %");
        set("labels", std::to_string(made.missing_percent) + " % missing, " +
                          std::to_string(made.bad_percent) + " % bad");
        set("minimum",
            made.min_mib ? count_text(static_cast<std::uint64_t>(*made.min_mib)) + " MiB" : "none");
    }

    bench_options const& options_;
    question question_;
    std::optional<boost::asio::ssl::context> tls_;
    std::vector<loaded_server> servers_;
    progress_bar bar_;
    bench_report result_;
};

}  // namespace

bench_report run_bench(bench_options const& options) { return bench_run(options).run(); }

}  // namespace nodesieve::bench
