#include "loopback.hpp"

#include <boost/asio/io_context.hpp>
#include <stdexcept>

namespace nodesieve::bench {

using boost::asio::ip::tcp;

std::vector<tcp::endpoint> loopback_endpoints(http_url const& url) {
    boost::asio::io_context context;
    boost::system::error_code ec;
    auto const found = tcp::resolver(context).resolve(url.host, url.port, ec);
    if (ec) throw std::runtime_error(url.text() + ": looking up the name: " + ec.message());
    std::vector<tcp::endpoint> endpoints;
    for (auto const& each : found) {
        if (!each.endpoint().address().is_loopback())
            throw std::runtime_error(url.text() + ": " + each.endpoint().address().to_string() +
                                     " is not a loopback address: loads go to this machine only");
        endpoints.push_back(each.endpoint());
    }
    return endpoints;
}

}  // namespace nodesieve::bench
