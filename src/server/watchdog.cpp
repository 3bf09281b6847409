#include "watchdog.hpp"

namespace nodesieve::server {

watchdog::watchdog(boost::asio::ip::tcp::socket& socket)
    : socket_(&socket), timer_(socket.get_executor()) {}

void watchdog::expires_at(clock::time_point deadline) {
    deadline_ = deadline;
    expired_ = false;
    if (!waiting_ || deadline < timer_.expiry()) wait();
}

void watchdog::release() {
    socket_ = nullptr;
    timer_.cancel();
}

void watchdog::wait() {
    waiting_ = true;
    timer_.expires_at(deadline_);  // ends an earlier wait with operation_aborted
    timer_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
        if (ec || self->socket_ == nullptr) return;
        if (clock::now() < self->deadline_) return self->wait();
        self->waiting_ = false;
        self->expired_ = true;
        boost::system::error_code ignored;
        self->socket_->cancel(ignored);
    });
}

}  // namespace nodesieve::server
