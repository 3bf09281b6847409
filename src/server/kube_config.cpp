#include "kube_config.hpp"

#include "log.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/evp.h>

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace nodesieve::server {
namespace {

constexpr std::size_t max_file_bytes = 1024 * 1024;

/// `what`: in front of the path in errors.
std::string read_file(std::filesystem::path const& path, std::string_view what = "file ") {
    const auto refuse = [&](std::string const& why) -> void {
        throw kube_config_error(std::string(what) + in_quotes(path.native()) + ' ' + why);
    };
    std::error_code ignored;
    if (std::filesystem::is_fifo(path, ignored)) refuse("is a FIFO, which would be waited for");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               &std::fclose);
    if (!file) refuse("cannot be opened: " + std::generic_category().message(errno));
    std::string text(max_file_bytes + 1, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    if (std::ferror(file.get()) != 0)
        refuse("cannot be read: " + std::generic_category().message(errno));
    if (text.size() > max_file_bytes) refuse("is larger than 1 MiB");
    if (text.empty()) refuse("is empty");
    return text;
}

/// nullopt for what is no base64.
std::optional<std::string> decode_base64(std::string_view text) {
    const std::unique_ptr<EVP_ENCODE_CTX, void (*)(EVP_ENCODE_CTX*)> context(EVP_ENCODE_CTX_new(),
                                                                             &EVP_ENCODE_CTX_free);
    std::string result(text.size(), '\0');
    auto* const out = reinterpret_cast<unsigned char*>(result.data());
    int size = 0;
    int rest = 0;
    EVP_DecodeInit(context.get());
    if (EVP_DecodeUpdate(context.get(), out, &size,
                         reinterpret_cast<unsigned char const*>(text.data()),
                         static_cast<int>(text.size())) < 0 ||
        EVP_DecodeFinal(context.get(), out + size, &rest) < 0)
        return std::nullopt;
    result.resize(static_cast<std::size_t>(size + rest));
    return result;
}

bool is_port(std::string_view text) {
    unsigned value = 0;
    const auto* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc{} && result.ptr == end && value >= 1 && value <= 65535;
}

/// Letters of names, addresses and paths: nothing that could end a header's line.
bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

/// Fills host, port and path; false for what is no https URL of them.
bool split_url(std::string_view url, kube_config& into) {
    constexpr std::string_view scheme = "https://";
    if (!url.starts_with(scheme) || !is_plain(url) || url.find_first_of("@?#") != url.npos)
        return false;
    url.remove_prefix(scheme.size());
    const auto slash = std::min(url.find('/'), url.size());
    into.path = url.substr(slash);
    while (into.path.ends_with('/')) into.path.pop_back();
    auto authority = url.substr(0, slash);
    std::string_view port = "443";
    const bool bracketed = authority.starts_with('[');
    const auto host_end = bracketed ? authority.find(']') : authority.find(':');
    if (bracketed && host_end == authority.npos) return false;
    const auto host = authority.substr(bracketed ? 1 : 0, host_end - (bracketed ? 1 : 0));
    authority.remove_prefix(std::min(authority.size(), bracketed ? host_end + 1 : host_end));
    if (!authority.empty()) {
        if (authority.front() != ':') return false;
        port = authority.substr(1);
    }
    into.host = host;
    into.port = port;
    return !host.empty() && is_port(port);
}

/// The parts of a kubeconfig that the current context names.
class kubeconfig_reader {
  public:
    explicit kubeconfig_reader(std::filesystem::path file) : file_(std::move(file)) {}

    kube_config read();

  private:
    [[noreturn]] void refuse(std::string const& what) const {
        throw kube_config_error("--kubeconfig=" + in_quotes(file_.native()) + ": " + where_ + what);
    }
    YAML::Node load();
    YAML::Node named(YAML::Node const& root, char const* list, char const* what,
                     std::string const& name);
    void read_cluster(YAML::Node const& cluster, kube_config& into);
    void read_user(YAML::Node const& user, kube_config& into);
    void refuse_what_is_not_supported(YAML::Node const& user);

    /// The value of `key`; undefined where it is absent or null.
    YAML::Node field(YAML::Node const& map, char const* key);
    std::string text(YAML::Node const& map, char const* key);
    bool flag(YAML::Node const& map, char const* key);
    /// `key`-data, which comes first, or the file that `key` names.
    text_source source(YAML::Node const& map, std::string const& key);
    std::filesystem::path beside(std::string const& path) {
        return path.empty() ? std::filesystem::path() : file_.parent_path() / path;
    }

    std::filesystem::path file_;
    std::string where_;  // which entry is being read, with ": " behind it
};

YAML::Node kubeconfig_reader::load() {
    try {
        auto root = YAML::Load(read_file(file_, "--kubeconfig="));
        if (!root.IsMap()) refuse("expected a YAML map with kind: Config, got another type");
        return root;
    } catch (YAML::Exception const& e) {
        refuse("is no YAML: " + std::string(e.what()) + "; write it anew, as kubectl config does");
    }
}

YAML::Node kubeconfig_reader::field(YAML::Node const& map, char const* key) {
    auto value = map[key];
    if (value.IsDefined() && value.IsNull()) return YAML::Node(YAML::NodeType::Undefined);
    return value;
}

std::string kubeconfig_reader::text(YAML::Node const& map, char const* key) {
    const auto value = field(map, key);
    if (!value.IsDefined()) return {};
    if (!value.IsScalar()) refuse(std::string(key) + ": expected a text, got another type");
    return value.Scalar();
}

bool kubeconfig_reader::flag(YAML::Node const& map, char const* key) {
    const auto value = text(map, key);
    if (!value.empty() && value != "true" && value != "false")
        refuse(std::string(key) + ": expected true or false, got another text");
    return value == "true";
}

text_source kubeconfig_reader::source(YAML::Node const& map, std::string const& key) {
    const auto data = text(map, (key + "-data").c_str());
    if (data.empty()) return {{}, beside(text(map, key.c_str()))};
    auto decoded = decode_base64(data);
    if (!decoded || decoded->empty()) refuse(key + "-data: expected base64 of a PEM text");
    return {std::move(*decoded), {}};
}

YAML::Node kubeconfig_reader::named(YAML::Node const& root, char const* list, char const* what,
                                    std::string const& name) {
    const auto entries = field(root, list);
    if (entries.IsDefined() && !entries.IsSequence())
        refuse(std::string(list) + ": expected a sequence, got another type");
    for (auto const& entry : entries) {
        if (!entry.IsMap() || text(entry, "name") != name) continue;
        where_ += std::string(what) + ' ' + in_quotes(name) + ": ";
        auto value = field(entry, what);
        if (!value.IsDefined() || !value.IsMap())
            refuse("expected a map named " + std::string(what) + ", got none");
        return value;
    }
    refuse(std::string(list) + " has no entry named " + in_quotes(name) +
           "; add it, or choose another with kubectl config use-context");
}

kube_config kubeconfig_reader::read() {
    const auto root = load();
    const auto current = text(root, "current-context");
    if (current.empty())
        refuse("current-context is not set; choose one with kubectl config use-context");
    const auto context = named(root, "contexts", "context", current);
    const auto cluster = text(context, "cluster");
    const auto user = text(context, "user");
    if (cluster.empty()) refuse("names no cluster; add one with kubectl config set-context");

    kube_config result;
    const auto in_context = where_;
    read_cluster(named(root, "clusters", "cluster", cluster), result);
    where_ = in_context;
    if (!user.empty()) read_user(named(root, "users", "user", user), result);
    return result;
}

void kubeconfig_reader::read_cluster(YAML::Node const& cluster, kube_config& into) {
    const auto server = text(cluster, "server");
    if (!split_url(server, into))
        refuse("server: expected https://HOST, https://HOST:PORT or one with a path, got " +
               (server.find_first_of("@?#") == server.npos
                    ? in_quotes(server)
                    : "one with user information, a query or a fragment"));
    if (!text(cluster, "proxy-url").empty())
        refuse("proxy-url is not supported; name a server that is reached without a proxy");
    into.server_name = text(cluster, "tls-server-name");
    if (into.server_name.empty()) into.server_name = into.host;
    into.authority = source(cluster, "certificate-authority");
    into.verify = !flag(cluster, "insecure-skip-tls-verify");
    if (into.verify) return;
    if (into.authority.given())
        refuse("certificate-authority and insecure-skip-tls-verify are both given; keep the first");
    into.warnings.push_back(
        "--kubeconfig=" + in_quotes(file_.native()) + ": " + where_ +
        "insecure-skip-tls-verify is set: whoever answers in the API server's place gets the "
        "credentials and decides what nodes there are; give certificate-authority instead");
}

void kubeconfig_reader::refuse_what_is_not_supported(YAML::Node const& user) {
    static constexpr std::string_view instead =
        "; use a client certificate, token or tokenFile, such as a service account's";
    for (auto const* key : {"exec", "auth-provider"})
        if (field(user, key).IsDefined())
            refuse(std::string(key) + ", a plugin for credentials, is not supported" +
                   std::string(instead));
    for (auto const* key : {"username", "password"})
        if (field(user, key).IsDefined())
            refuse(std::string(key) + " is not supported, by the API server neither" +
                   std::string(instead));
    for (auto const* key : {"as", "as-uid", "as-groups", "as-user-extra"})
        if (field(user, key).IsDefined())
            refuse(std::string(key) +
                   ", impersonation, is not supported; give the user itself the right to get, list "
                   "and watch nodes");
}

void kubeconfig_reader::read_user(YAML::Node const& user, kube_config& into) {
    refuse_what_is_not_supported(user);
    into.certificate = source(user, "client-certificate");
    into.key = source(user, "client-key");
    if (into.certificate.given() != into.key.given())
        refuse("expected client-certificate and client-key, or neither, got one of them");
    into.token = {{}, beside(text(user, "tokenFile"))};
    if (!into.token.given()) into.token.text = text(user, "token");
}

}  // namespace

std::string text_source::read() const { return file.empty() ? text : read_file(file); }

std::string kube_config::read_token() const {
    if (!token.given()) return {};
    const auto text = token.read();
    constexpr auto* space = " \t\r\n";
    const auto begin = std::min(text.find_first_not_of(space), text.size());
    const auto value = text.substr(begin, text.find_last_not_of(space) + 1 - begin);
    // RFC 6750 section 2.1.
    if (value.empty() || !is_plain(value))
        throw kube_config_error(
            (token.file.empty() ? "token" : "file " + in_quotes(token.file.native())) +
            ": expected a bearer token in one line, got " +
            (value.empty() ? "none" : "other text"));
    return value;
}

std::string kube_config::host_field() const {
    const auto name = host.find(':') == host.npos ? host : '[' + host + ']';
    return port == "443" ? name : name + ':' + port;
}

kube_config read_kubeconfig(std::filesystem::path const& file) {
    return kubeconfig_reader(file).read();
}

kube_config in_cluster_config(environment const& variables, std::filesystem::path const& folder) {
    const auto value = [&variables](char const* name) -> std::string {
        char const* const text = variables(name);
        return text == nullptr ? "" : text;
    };
    kube_config result;
    result.host = result.server_name = value("KUBERNETES_SERVICE_HOST");
    result.port = value("KUBERNETES_SERVICE_PORT");
    if (result.host.empty() || !is_plain(result.host) || !is_port(result.port))
        throw kube_config_error(
            "--node-cache=watch: expected KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, as "
            "in a Pod, got " +
            in_quotes(result.host) + " and " + in_quotes(result.port) +
            "; outside a cluster give --kubeconfig=FILE");
    result.authority.file = folder / "ca.crt";
    result.token.file = folder / "token";
    return result;
}

}  // namespace nodesieve::server
