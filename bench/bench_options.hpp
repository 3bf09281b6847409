#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "generator.hpp"
#include "http_url.hpp"
#include "load/load_generator.hpp"
#include "load/request_schedule.hpp"
#include "load/tls_client.hpp"

namespace nodesieve::bench {

/// A wrong command line: one line that names the flag.
class usage_error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What nodesieve-bench is asked to do.
struct bench_options {
    enum class verb { filter, prioritize };

    struct server {
        http_url url;
        bool checked = true;  ///< it has the policy, so that its answers can be judged
    };

    bool help = false;  ///< nothing else counts then

    std::vector<server> servers;  ///< --url, then the others as they were given
    std::optional<tls_files> tls;

    std::optional<std::filesystem::path> body_file;  ///< otherwise generated:
    std::filesystem::path templates;
    generator_params generated;
    verb path_verb = verb::filter;  ///< what --url asks for; unknown with a body from a file

    load_setting load;
    std::optional<double> rate;  ///< in requests a second; none: closed loop
    /// Of the whole load, or, in a comparison, of each turn.
    request_schedule::bound end{};
    std::uint64_t warm_up = 0;  ///< requests on each connection
    std::size_t rounds = 0;     ///< of a comparison

    std::optional<pid_t> pid;
    bool json = false;
    std::optional<std::filesystem::path> report;

    [[nodiscard]] bool compares() const noexcept { return servers.size() > 1; }

    /// Of a flag that may not repeat the last one counts. Every number is in its range and every
    /// combination makes sense in what comes back. Throws usage_error otherwise. Reads no file.
    [[nodiscard]] static bench_options parse(int argc, char const* const* argv);

    [[nodiscard]] static std::string help_text();
};

}  // namespace nodesieve::bench
