#pragma once

#include "test_certificates.hpp"

#include "kube_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nodesieve::test {

/// What the API server does with one request instead of what it should.
struct api_fault {
    enum class kind : std::uint8_t {
        none,     ///< answers it
        status,   ///< answers with `status`, the header lines `fields` and a metav1.Status
        cut,      ///< sends the first `after` bytes of the right answer and ends the connection
        hang,     ///< sends the first `after` bytes of the right answer and nothing more
        garbage,  ///< sends `fields` instead of an answer and ends the connection
    };
    kind what = kind::none;
    unsigned status = 0;
    std::size_t after = 0;
    std::string fields;
};

[[nodiscard]] inline api_fault no_fault() { return {}; }
[[nodiscard]] inline api_fault status_fault(unsigned status, std::string fields = {}) {
    return {api_fault::kind::status, status, 0, std::move(fields)};
}
[[nodiscard]] inline api_fault cut_fault(std::size_t after) {
    return {api_fault::kind::cut, 0, after, {}};
}
[[nodiscard]] inline api_fault hang_fault(std::size_t after) {
    return {api_fault::kind::hang, 0, after, {}};
}
[[nodiscard]] inline api_fault garbage_fault(std::string text) {
    return {api_fault::kind::garbage, 0, 0, std::move(text)};
}

/// How metadata-only requests are taken.
enum class partial_metadata : std::uint8_t {
    given,
    refused,  ///< 406
    ignored,  ///< full objects
};

/// What has come in so far.
struct api_traffic {
    std::size_t connections = 0;
    std::size_t failed_handshakes = 0;
    std::vector<std::string> lists;    ///< targets, one a page
    std::vector<std::string> watches;  ///< targets
    std::vector<std::string> accepts;  ///< of both
    std::size_t unauthorized = 0;
    std::size_t open_watches = 0;
};

/// A small Kubernetes API server that knows nodes only: lists in pages, watches, bookmarks, and
/// fails on demand. HTTP/1.1 over TLS on a free port of the loopback, on a thread of its own. Every
/// function may be called by any thread.
class api_server {
  public:
    api_server();
    ~api_server();
    api_server(api_server const&) = delete;
    api_server& operator=(api_server const&) = delete;

    /// How to reach it, with its CA.
    [[nodiscard]] server::kube_config config() const;
    /// The same as the text of a kubeconfig file, which has the CA beside it in ca.crt.
    [[nodiscard]] std::string kubeconfig() const;

    /// Adds or changes a node; `memory`: what its label says, none without.
    void set_node(std::string const& name, std::optional<std::string> memory = {});
    void remove_node(std::string const& name);
    /// To every watch.
    void bookmark();
    /// Forgets all events, so that watches from before are answered with 410.
    void compact();
    void set_page_size(std::size_t nodes);
    void set_partial_metadata(partial_metadata how);
    /// Requests with another token are answered with 401; "" takes any.
    void accept_token(std::string token);
    /// Connections from now on see this certificate, signed by anyone.
    void use_certificate(identity certificate);
    /// Connections from now on must show a certificate that the CA signed.
    void require_client_certificate();
    /// Connections from now on get no handshake.
    void hang_handshakes(bool hang);
    [[nodiscard]] identity const& authority() const;

    /// What happens with the next list pages and watches, one fault each.
    void next_lists(std::vector<api_fault> faults);
    void next_watches(std::vector<api_fault> faults);

    /// To every open watch: bytes of the stream, an end in good order, or an end of the connection.
    void send_to_watches(std::string const& text);
    void end_watches();
    void cut_watches();
    /// The line of an ERROR event.
    [[nodiscard]] static std::string error_event(unsigned code);

    /// Ends every connection and closes the port; start() opens it again.
    void stop();
    void start();

    [[nodiscard]] api_traffic traffic() const;
    /// Waits until it holds; false after 20 s.
    [[nodiscard]] bool wait_for(std::function<bool(api_traffic const&)> const& holds) const;
    [[nodiscard]] bool wait_for_watches(std::size_t open) const;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace nodesieve::test
