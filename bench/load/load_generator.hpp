#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http_url.hpp"
#include "known_answer.hpp"
#include "load_connection.hpp"
#include "load_result.hpp"
#include "request_schedule.hpp"

namespace nodesieve::bench {

struct load_setting {
    std::size_t connections = 1;  ///< at least 1
    std::size_t threads = 1;      ///< at least 1; a connection stays on one of them
    bool keep_alive = true;
    std::chrono::nanoseconds timeout = std::chrono::seconds(30);
};

/// Loads one server: connections that send the same body, dealt out to client threads. They stay
/// open from one run to the next.
///
/// Not thread-safe; each call blocks until all its requests are done.
class load_generator {
  public:
    using progress = std::function<void(std::uint64_t finished)>;

    /// Looks the server up; throws as loopback_endpoints(). `tls` is not used for http URLs.
    /// `tls`, `body` and `answer` must outlive this.
    load_generator(http_url const& url, SSL_CTX* tls, std::string_view body, known_answer& answer,
                   load_setting const& setting);
    ~load_generator();

    /// Opens each connection with so many requests that do not count.
    [[nodiscard]] load_result warm_up(std::uint64_t requests_each);

    /// `tell`, if given, is called ten times a second with the number of finished requests.
    [[nodiscard]] load_result run(request_schedule& schedule, progress const& tell = {});

    /// What the connections speak: see load_connection::protocol().
    [[nodiscard]] std::string protocol() const;

  private:
    struct client_thread;
    using schedule_for_one = std::function<request_schedule&()>;  // called for each connection

    load_result run_threads(schedule_for_one const& schedule, progress const& tell);

    load_target target_;
    std::vector<std::unique_ptr<client_thread>> threads_;
};

}  // namespace nodesieve::bench
