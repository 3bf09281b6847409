#include "http_url.hpp"

#include <algorithm>
#include <stdexcept>

namespace nodesieve::bench {

http_url http_url::parse(std::string_view url) {
    std::invalid_argument const bad("not http[s]://HOST[:PORT][/PATH]: " + std::string(url));
    http_url result;
    result.tls = url.starts_with("https://");
    if (!result.tls && !url.starts_with("http://")) throw bad;
    url.remove_prefix(url.find("//") + 2);

    std::size_t const authority_end = std::min(url.find('/'), url.size());
    result.authority = url.substr(0, authority_end);
    result.path = url.substr(authority_end);
    if (result.path.find_first_of(" \t\r\n#") != std::string::npos) throw bad;

    std::string_view rest = result.authority;
    bool const bracketed = rest.starts_with('[');
    std::size_t const host_end = bracketed ? rest.find(']') : std::min(rest.find(':'), rest.size());
    if (host_end == rest.npos) throw bad;
    result.host = rest.substr(bracketed, host_end - bracketed);
    rest.remove_prefix(host_end + bracketed);
    if (rest.empty())
        result.port = result.tls ? "443" : "80";
    else
        result.port = rest.substr(1);
    bool const port_is_number = result.port.find_first_not_of("0123456789") == std::string::npos;
    if (result.host.empty() || result.port.empty() || !port_is_number ||
        (!rest.empty() && !rest.starts_with(':')))
        throw bad;
    return result;
}

std::string http_url::text() const { return (tls ? "https://" : "http://") + authority + path; }

}  // namespace nodesieve::bench
