#include "wire_request.hpp"

#include <algorithm>

namespace nodesieve::bench {

namespace {

constexpr std::size_t opening_bytes = 16 * 1024;  // the largest record of TLS

}  // namespace

wire_request::wire_request(http_url const& url, std::string_view body, bool keep_alive) {
    opening_ = "POST " + url.path + " HTTP/1.1\r\nHost: " + url.authority +
               "\r\nUser-Agent: nodesieve-bench\r\nContent-Type: application/json"
               "\r\nContent-Length: " +
               std::to_string(body.size()) + (keep_alive ? "" : "\r\nConnection: close") +
               "\r\n\r\n";
    std::size_t const room = opening_bytes - std::min(opening_.size(), opening_bytes);
    opening_ += body.substr(0, room);
    rest_ = body.substr(std::min(room, body.size()));
}

}  // namespace nodesieve::bench
