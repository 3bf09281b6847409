#include "running_server.hpp"

#include <fcntl.h>

#include <csignal>
#include <fstream>
#include <sstream>

namespace nodesieve::test {

server::options test_options(test_certificates const& certificates) {
    server::options settings;
    settings.listen = "127.0.0.1:0";
    settings.admin_listen = "127.0.0.1:0";
    settings.tls_cert = certificates.server_certificate_file;
    settings.tls_key = certificates.server_key_file;
    settings.client_ca = certificates.ca_file;
    settings.threads = 2;
    return settings;
}

test_certificates const& shared_certificates() {
    static const test_certificates certificates;
    return certificates;
}

running_server::running_server(server::options settings)
    : log_file_(::open((directory_.path() / "log").c_str(),
                       O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)),
      log_(server::log_format::json, log_file_),
      server_(std::move(settings), log_) {
    std::signal(SIGPIPE, SIG_IGN);
    server_.start();
}

wire_client running_server::connect(int tls_version) {
    auto const& certificates = shared_certificates();
    return wire_client(server_.address(), certificates.ca, certificates.client, tls_version);
}

wire_client running_server::connect_plain() { return wire_client(server_.address()); }
wire_client running_server::connect_admin() { return wire_client(server_.admin_address()); }

std::string running_server::log_text() const {
    std::ostringstream text;
    text << std::ifstream(directory_.path() / "log").rdbuf();
    return text.str();
}

std::string running_server::metric(std::string_view series) {
    auto admin = connect_admin();
    admin.send(request_text("GET", "/metrics", {}));
    std::istringstream lines(admin.receive().body());
    const auto start = std::string(series) + ' ';
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(start)) return line.substr(start.size());
    return {};
}

}  // namespace nodesieve::test
