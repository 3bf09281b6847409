#include "serve.hpp"

#include "extender_server.hpp"
#include "log.hpp"

#include <malloc.h>

#include <csignal>
#include <sstream>

namespace nodesieve::cli {
namespace {

/// A container's limit is on resident memory: few arenas, so that no thread keeps a high-water mark
/// of its own, and large blocks straight from the system and back. Fixed, because by default glibc
/// raises the threshold with the first large block that is freed.
void bound_allocator() {
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 512 * 1024);
    mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
}

std::string text(boost::asio::ip::tcp::endpoint const& endpoint) {
    std::ostringstream out;
    out << endpoint;
    return out.str();
}

}  // namespace

int serve(server::options const& settings) {
    using level = server::log::level;
    bound_allocator();
    std::signal(SIGPIPE, SIG_IGN);
    server::log log(settings.log_format);
    server::extender_server server(settings, log);
    for (auto const& warning : server.warnings()) log.write(level::warning, warning);
    server.stop_on_signals();
    server.start();
    log.write(level::info, "serving",
              {{"version", NODESIEVE_VERSION},
               {"address", text(server.address())},
               {"admin_address", text(server.admin_address())},
               {"tls", !settings.insecure_http},
               {"threads", server.threads()}});
    server.wait();
    log.write(level::info, "stopped");
    return 0;
}

}  // namespace nodesieve::cli
