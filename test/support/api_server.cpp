// Longer than most: a whole server, whose parts share one state behind one mutex.
#include "api_server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

namespace nodesieve::test {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using kind = api_fault::kind;

constexpr auto token = asio::as_tuple(asio::use_awaitable);

struct node {
    std::optional<std::string> memory;
    std::uint64_t version = 0;
};

struct event {
    std::string type;
    std::string name;
    node what;
};

/// One open watch, whose coroutine sleeps on the timer.
struct open_watch {
    std::shared_ptr<asio::steady_timer> wake;
    bool metadata_only;
    std::deque<std::string> output = {};  // of the stream, not yet in chunks
    bool end = false;
    bool cut = false;
};

std::string object(std::string const& name, node const& n, bool metadata_only) {
    std::string text = R"({"metadata":{"name":")" + name + R"(","uid":"u-)" + name +
                       R"(","resourceVersion":")" + std::to_string(n.version) +
                       R"(","labels":{"kubernetes.io/hostname":")" + name + '"';
    if (n.memory) text += R"(,"training.example.com/gpu-memory-mib":")" + *n.memory + '"';
    text += "}}";
    if (!metadata_only)
        text += R"(,"spec":{"podCIDR":"10.0.0.0/24"},"status":{"images":[{"names":["a","b"]}]})";
    return text + "}";
}

std::string event_line(event const& e, bool metadata_only) {
    return R"({"type":")" + e.type + R"(","object":)" + object(e.name, e.what, metadata_only) +
           "}\n";
}

std::string chunk(std::string const& text) {
    std::ostringstream out;
    out << std::hex << text.size() << "\r\n" << text << "\r\n";
    return std::move(out).str();
}

std::string answer(unsigned status, std::string const& fields, std::string const& body) {
    return "HTTP/1.1 " + std::to_string(status) + " Some Reason\r\nContent-Type: application/json" +
           "\r\n" + fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string status_object(unsigned code) {
    return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
           R"("message":"a test wants this","reason":"Test","code":)" +
           std::to_string(code) + "}";
}

const std::string stream_header =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

/// The value of `name` in a target's query, "" without; values need no unescaping here.
std::string query(std::string const& target, std::string const& name) {
    const auto at = target.find(name + '=');
    if (at == target.npos) return "";
    const auto begin = at + name.size() + 1;
    return target.substr(begin, target.find('&', begin) - begin);
}

}  // namespace

struct api_server::state {
    using stream = beast::ssl_stream<tcp::socket>;
    using request = http::request<http::empty_body>;

    state()
        : authority(self_signed(authority_spec("API server CA"))),
          certificate(issue({}, authority)) {}

    void listen() {
        const std::scoped_lock lock(mutex);
        io.emplace(1);
        acceptor.emplace(*io);
        const tcp::endpoint loopback(asio::ip::address_v4::loopback(), port);
        acceptor->open(loopback.protocol());
        acceptor->set_option(tcp::acceptor::reuse_address(true));
        acceptor->bind(loopback);
        acceptor->listen();
        port = acceptor->local_endpoint().port();
        asio::co_spawn(*io, accept(), asio::detached);
        thread = std::thread([this] { io->run(); });
    }
    void shut() {
        io->stop();
        thread.join();
        const std::scoped_lock lock(mutex);
        acceptor.reset();
        watches.clear();
        io.reset();  // with every connection
        traffic.open_watches = 0;
        changed.notify_all();
    }

    ssl::context context();
    asio::awaitable<void> accept();
    asio::awaitable<void> serve(tcp::socket socket);
    /// False: the connection is to be ended.
    asio::awaitable<bool> answer_request(stream& peer, request asked);
    asio::awaitable<bool> answer_list(stream& peer, std::string target, bool metadata_only);
    asio::awaitable<bool> answer_watch(stream& peer, std::string target, bool metadata_only);
    asio::awaitable<bool> send(stream& peer, std::string text);
    asio::awaitable<bool> send(stream& peer, std::string text, api_fault fault);
    asio::awaitable<bool> stream_events(stream& peer, std::list<open_watch>::iterator watch);
    std::string page(std::string const& target, bool metadata_only);
    void publish(event e);

    static api_fault take(std::deque<api_fault>& faults) {
        if (faults.empty()) return {};
        auto first = std::move(faults.front());
        faults.pop_front();
        return first;
    }
    /// Calls `change` on each open watch and wakes it.
    template <class Change>
    void each_watch(Change change) {
        for (auto& w : watches) {
            change(w);
            asio::post(*io, [wake = w.wake] { wake->cancel(); });
        }
    }

    mutable std::mutex mutex;  // of what follows but the thread's own
    mutable std::condition_variable changed;
    const identity authority;
    identity certificate;
    bool client_required = false;
    bool handshakes_hang = false;
    std::map<std::string, node> nodes;
    std::vector<event> events;
    std::uint64_t version = 100;
    std::uint64_t oldest = 100;
    std::size_t page_size = SIZE_MAX;
    partial_metadata partial = partial_metadata::given;
    std::string accepted_token;
    std::deque<api_fault> list_faults;
    std::deque<api_fault> watch_faults;
    std::list<open_watch> watches;
    api_traffic traffic;
    std::uint16_t port = 0;

    std::optional<asio::io_context> io;
    std::optional<tcp::acceptor> acceptor;
    std::thread thread;
};

ssl::context api_server::state::context() {
    const std::scoped_lock lock(mutex);
    ssl::context result(ssl::context::tls_server);
    result.use_certificate_chain(asio::buffer(certificate.certificate));
    result.use_private_key(asio::buffer(certificate.key), ssl::context::pem);
    if (client_required) {
        result.add_certificate_authority(asio::buffer(authority.certificate));
        result.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
    }
    return result;
}

asio::awaitable<void> api_server::state::accept() {
    for (;;) {
        auto [ec, socket] = co_await acceptor->async_accept(token);
        if (ec) co_return;
        {
            const std::scoped_lock lock(mutex);
            ++traffic.connections;
            changed.notify_all();
        }
        asio::co_spawn(*io, serve(std::move(socket)), asio::detached);
    }
}

asio::awaitable<void> api_server::state::serve(tcp::socket socket) {
    auto tls = context();
    stream peer(std::move(socket), tls);
    bool hang = false;
    {
        const std::scoped_lock lock(mutex);
        hang = handshakes_hang;
    }
    if (hang) {
        asio::steady_timer forever(*io, asio::steady_timer::time_point::max());
        co_await forever.async_wait(token);
    }
    const auto [failed] = co_await peer.async_handshake(ssl::stream_base::server, token);
    if (failed) {
        const std::scoped_lock lock(mutex);
        ++traffic.failed_handshakes;
        changed.notify_all();
        co_return;
    }
    beast::flat_buffer buffer;
    for (bool going = true; going;) {
        request asked;
        const auto [ec, size] = co_await http::async_read(peer, buffer, asked, token);
        if (ec) co_return;
        going = co_await answer_request(peer, std::move(asked));
    }
    boost::system::error_code ignored;
    peer.next_layer().close(ignored);
}

asio::awaitable<bool> api_server::state::answer_request(stream& peer, request asked) {
    const std::string target(asked.target());
    const std::string wanted(asked[http::field::accept]);
    const bool is_watch = target.find("watch=1") != target.npos;
    bool metadata_only = wanted.find("as=PartialObjectMetadata") != wanted.npos;
    unsigned status = 0;
    {
        const std::scoped_lock lock(mutex);
        (is_watch ? traffic.watches : traffic.lists).push_back(target);
        traffic.accepts.push_back(wanted);
        if (!accepted_token.empty() &&
            asked[http::field::authorization] != "Bearer " + accepted_token) {
            ++traffic.unauthorized;
            status = 401;
        } else if (metadata_only && partial == partial_metadata::refused) {
            status = 406;
        }
        if (partial == partial_metadata::ignored) metadata_only = false;
        changed.notify_all();
    }
    bool going = false;
    if (status != 0)
        going = co_await send(peer, answer(status, "", status_object(status)));
    else if (is_watch)
        going = co_await answer_watch(peer, target, metadata_only);
    else
        going = co_await answer_list(peer, target, metadata_only);
    co_return going;
}

/// A page of the state as it is now; the token is the list's version and the last name.
std::string api_server::state::page(std::string const& target, bool metadata_only) {
    const auto from = query(target, "continue");
    const auto limit = std::min<std::size_t>(page_size, std::stoul(query(target, "limit")));
    const auto list_version =
        from.empty() ? std::to_string(version) : from.substr(0, from.find('_'));
    auto next = from.empty() ? nodes.begin() : nodes.upper_bound(from.substr(from.find('_') + 1));
    std::string items;
    std::string last;
    for (std::size_t i = 0; i < limit && next != nodes.end(); ++i, ++next) {
        items += (i == 0 ? "" : ",") + object(next->first, next->second, metadata_only);
        last = next->first;
    }
    const auto more =
        next == nodes.end() ? "" : R"(,"continue":")" + list_version + '_' + last + '"';
    return R"({"kind":")" + std::string(metadata_only ? "PartialObjectMetadataList" : "NodeList") +
           R"(","metadata":{"resourceVersion":")" + list_version + '"' + more + R"(},"items":[)" +
           items + "]}\n";
}

asio::awaitable<bool> api_server::state::answer_list(stream& peer, std::string target,
                                                     bool metadata_only) {
    api_fault fault;
    std::string body;
    {
        const std::scoped_lock lock(mutex);
        fault = take(list_faults);
        body = page(target, metadata_only);
    }
    const bool going = co_await send(peer, answer(200, "", body), std::move(fault));
    co_return going;
}

asio::awaitable<bool> api_server::state::answer_watch(stream& peer, std::string target,
                                                      bool metadata_only) {
    api_fault fault;
    std::list<open_watch>::iterator watch;
    bool accepted = false;
    {
        const std::scoped_lock lock(mutex);
        fault = take(watch_faults);
        const auto from = std::stoull(query(target, "resourceVersion"));
        if (fault.what == kind::none && from < oldest) fault = status_fault(410);
        accepted = fault.what == kind::none;
        if (accepted) {
            watch = watches.insert(watches.end(),
                                   {std::make_shared<asio::steady_timer>(*io), metadata_only});
            for (auto const& e : events)
                if (e.what.version > from) watch->output.push_back(event_line(e, metadata_only));
            traffic.open_watches = watches.size();
        }
    }
    bool going = co_await send(peer, stream_header, std::move(fault));
    if (!accepted) co_return going;
    changed.notify_all();
    if (going) going = co_await stream_events(peer, watch);
    const std::scoped_lock lock(mutex);
    watches.erase(watch);
    traffic.open_watches = watches.size();
    changed.notify_all();
    co_return going;
}

asio::awaitable<bool> api_server::state::stream_events(stream& peer,
                                                       std::list<open_watch>::iterator watch) {
    // A client says nothing more on this connection but that it is gone.
    auto gone = std::make_shared<bool>(false);
    peer.next_layer().async_wait(tcp::socket::wait_read,
                                 [gone, wake = watch->wake](boost::system::error_code ec) {
                                     if (ec) return;
                                     *gone = true;
                                     wake->cancel();
                                 });

    for (;;) {
        std::string text;
        bool end = false;
        bool cut = false;
        {
            const std::scoped_lock lock(mutex);
            for (auto const& part : watch->output) text += chunk(part);
            watch->output.clear();
            end = watch->end;
            cut = watch->cut;
            if (text.empty()) watch->wake->expires_at(asio::steady_timer::time_point::max());
        }
        if (end && !cut) {
            text += "0\r\n\r\n";
            peer.next_layer().cancel();  // behind it the client may ask for something else
        }
        const bool idle = text.empty();
        if (!idle) {
            const bool sent = co_await send(peer, std::move(text));
            if (!sent) co_return false;
        }
        if (*gone || cut || end) co_return !*gone && !cut;
        if (idle) co_await watch->wake->async_wait(token);
    }
}

asio::awaitable<bool> api_server::state::send(stream& peer, std::string text) {
    const auto [ec, size] = co_await asio::async_write(peer, asio::buffer(text), token);
    co_return !ec;
}

asio::awaitable<bool> api_server::state::send(stream& peer, std::string text, api_fault fault) {
    switch (fault.what) {
        case kind::none: break;
        case kind::status:
            text = answer(fault.status, fault.fields, status_object(fault.status));
            break;
        case kind::garbage: text = fault.fields; break;
        case kind::cut:
        case kind::hang: text.resize(std::min(text.size(), fault.after)); break;
    }
    const bool sent = co_await send(peer, std::move(text));
    if (!sent) co_return false;
    if (fault.what == kind::hang) {
        asio::steady_timer forever(*io, asio::steady_timer::time_point::max());
        co_await forever.async_wait(token);
    }
    co_return fault.what == kind::none || fault.what == kind::status;
}

void api_server::state::publish(event e) {
    e.what.version = ++version;
    if (e.type == "DELETED")
        nodes.erase(e.name);
    else
        nodes[e.name] = e.what;
    each_watch([&e](open_watch& w) { w.output.push_back(event_line(e, w.metadata_only)); });
    events.push_back(std::move(e));
}

api_server::api_server() : state_(std::make_unique<state>()) { state_->listen(); }
api_server::~api_server() {
    if (state_->io) state_->shut();
}
void api_server::stop() { state_->shut(); }
void api_server::start() { state_->listen(); }

server::kube_config api_server::config() const {
    const std::scoped_lock lock(state_->mutex);
    server::kube_config result;
    result.host = result.server_name = "127.0.0.1";
    result.port = std::to_string(state_->port);
    result.authority.text = state_->authority.certificate;
    return result;
}

std::string api_server::kubeconfig() const {
    return "{current-context: test, contexts: [{name: test, context: {cluster: test}}], clusters: "
           "[{name: test, cluster: {server: 'https://127.0.0.1:" +
           config().port + "', certificate-authority: ca.crt}}]}\n";
}

void api_server::set_node(std::string const& name, std::optional<std::string> memory) {
    const std::scoped_lock lock(state_->mutex);
    const bool known = state_->nodes.contains(name);
    state_->publish({known ? "MODIFIED" : "ADDED", name, {std::move(memory), 0}});
}

void api_server::remove_node(std::string const& name) {
    const std::scoped_lock lock(state_->mutex);
    state_->publish({"DELETED", name, state_->nodes.at(name)});
}

void api_server::bookmark() {
    const std::scoped_lock lock(state_->mutex);
    const auto line = R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" +
                      std::to_string(state_->version) + "\"}}}\n";
    state_->each_watch([&line](open_watch& w) { w.output.push_back(line); });
}

void api_server::compact() {
    const std::scoped_lock lock(state_->mutex);
    state_->events.clear();
    state_->oldest = ++state_->version;
}

void api_server::set_page_size(std::size_t nodes) {
    const std::scoped_lock lock(state_->mutex);
    state_->page_size = nodes;
}
void api_server::set_partial_metadata(partial_metadata how) {
    const std::scoped_lock lock(state_->mutex);
    state_->partial = how;
}
void api_server::accept_token(std::string accepted) {
    const std::scoped_lock lock(state_->mutex);
    state_->accepted_token = std::move(accepted);
}
void api_server::use_certificate(identity certificate) {
    const std::scoped_lock lock(state_->mutex);
    state_->certificate = std::move(certificate);
}
void api_server::require_client_certificate() {
    const std::scoped_lock lock(state_->mutex);
    state_->client_required = true;
}
void api_server::hang_handshakes(bool hang) {
    const std::scoped_lock lock(state_->mutex);
    state_->handshakes_hang = hang;
}
identity const& api_server::authority() const { return state_->authority; }

void api_server::next_lists(std::vector<api_fault> faults) {
    const std::scoped_lock lock(state_->mutex);
    state_->list_faults.assign(faults.begin(), faults.end());
}
void api_server::next_watches(std::vector<api_fault> faults) {
    const std::scoped_lock lock(state_->mutex);
    state_->watch_faults.assign(faults.begin(), faults.end());
}

void api_server::send_to_watches(std::string const& text) {
    const std::scoped_lock lock(state_->mutex);
    state_->each_watch([&text](open_watch& w) { w.output.push_back(text); });
}
void api_server::end_watches() {
    const std::scoped_lock lock(state_->mutex);
    state_->each_watch([](open_watch& w) { w.end = true; });
}
void api_server::cut_watches() {
    const std::scoped_lock lock(state_->mutex);
    state_->each_watch([](open_watch& w) { w.cut = true; });
}
std::string api_server::error_event(unsigned code) {
    return R"({"type":"ERROR","object":)" + status_object(code) + "}\n";
}

api_traffic api_server::traffic() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->traffic;
}

bool api_server::wait_for(std::function<bool(api_traffic const&)> const& holds) const {
    std::unique_lock lock(state_->mutex);
    return state_->changed.wait_for(lock, std::chrono::seconds(20),
                                    [&] { return holds(state_->traffic); });
}

bool api_server::wait_for_watches(std::size_t open) const {
    return wait_for([open](api_traffic const& t) { return t.open_watches == open; });
}

}  // namespace nodesieve::test
