#include "kube_config.hpp"

#include "kube_client.hpp"
#include "temporary_directory.hpp"
#include "test_certificates.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nodesieve::server {
namespace {

using test::temporary_directory;

/// A kubeconfig with one context, whose cluster and user hold these lines of YAML.
std::string config_of(std::string const& cluster, std::string const& user = "token: t") {
    return "apiVersion: v1\nkind: Config\ncurrent-context: prod\n"
           "contexts:\n- name: other\n  context: {cluster: none, user: none}\n"
           "- name: prod\n  context:\n    cluster: c\n    user: u\n    namespace: x\n"
           "clusters:\n- name: c\n  cluster: {" +
           cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n";
}

struct files {
    temporary_directory folder;

    kube_config read(std::string const& text) const {
        return read_kubeconfig(folder.write("kubeconfig", text));
    }
    std::string refusal(std::string const& text) const {
        try {
            const auto config = read(text);
            check_credentials(config, "--kubeconfig");
        } catch (kube_config_error const& e) {
            return e.what();
        }
        return "";
    }
};

bool contains(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

const std::string server_line = "server: 'https://api.example:6443'";

BOOST_FIXTURE_TEST_SUITE(kube_config_test, files)

BOOST_AUTO_TEST_CASE(reads_the_current_context) {
    const auto config = read(
        config_of(server_line + ", certificate-authority: pki/ca.crt, tls-server-name: kubernetes",
                  "client-certificate: /abs/tls.crt, client-key: tls.key"));
    BOOST_TEST(config.host == "api.example");
    BOOST_TEST(config.port == "6443");
    BOOST_TEST(config.host_field() == "api.example:6443");
    BOOST_TEST(config.path == "");
    BOOST_TEST(config.server_name == "kubernetes");
    BOOST_TEST(config.verify);
    BOOST_TEST(config.authority.file.native() == (folder.path() / "pki/ca.crt").native());
    BOOST_TEST(config.certificate.file.native() == "/abs/tls.crt");
    BOOST_TEST(config.key.file.native() == (folder.path() / "tls.key").native());
    BOOST_TEST(!config.token.given());
    BOOST_TEST(config.warnings.empty());
}

BOOST_AUTO_TEST_CASE(reads_embedded_data_before_files) {
    const auto config =
        read(config_of(server_line + ", certificate-authority-data: Q0E=, certificate-authority: x",
                       "client-certificate-data: Q0VSVA==, client-key-data: S0VZ, token: ' t '"));
    BOOST_TEST(config.authority.read() == "CA");
    BOOST_TEST(config.authority.file.empty());
    BOOST_TEST(config.certificate.read() == "CERT");
    BOOST_TEST(config.key.read() == "KEY");
    BOOST_TEST(config.read_token() == "t");
    BOOST_TEST(config.server_name == "api.example");
}

BOOST_AUTO_TEST_CASE(reads_json_too_and_a_user_is_not_needed) {
    const auto config =
        read(R"({"current-context":"a","contexts":[{"name":"a","context":{"cluster":"b"}}],)"
             R"("clusters":[{"name":"b","cluster":{"server":"https://10.0.0.1"}}],"users":null})");
    BOOST_TEST(config.host == "10.0.0.1");
    BOOST_TEST(!config.token.given());
}

BOOST_AUTO_TEST_CASE(takes_urls_apart) {
    struct url {
        std::string text, host, port, path, host_field;
    };
    for (auto const& [text, host, port, path, host_field] : std::vector<url>{
             {"https://a", "a", "443", "", "a"},
             {"https://a/", "a", "443", "", "a"},
             {"https://a:443", "a", "443", "", "a"},
             {"https://a:8443/k8s/clusters/x/", "a", "8443", "/k8s/clusters/x", "a:8443"},
             {"https://[::1]:6443", "::1", "6443", "", "[::1]:6443"},
             {"https://[fd00::1]", "fd00::1", "443", "", "[fd00::1]"},
         }) {
        BOOST_TEST_CONTEXT(text) {
            const auto config = read(config_of("server: '" + text + "'"));
            BOOST_TEST(config.host == host);
            BOOST_TEST(config.port == port);
            BOOST_TEST(config.path == path);
            BOOST_TEST(config.host_field() == host_field);
        }
    }
    for (auto const* text : {"", "a:6443", "http://a", "https://", "https://:1", "https://a:0",
                             "https://a:65536", "https://a:x", "https://u@a", "https://a?b",
                             "https://[::1", "https://[::1]x", "https://a b", "https://a\\r\\nX"}) {
        BOOST_TEST_CONTEXT(text) {
            BOOST_TEST(contains(refusal(config_of("server: \"" + std::string(text) + "\"")),
                                "server: expected https://HOST"));
        }
    }
}

BOOST_AUTO_TEST_CASE(reads_a_token_file_at_each_use) {
    const auto config = read(config_of(server_line, "tokenFile: t, token: first"));
    folder.write("t", "one\n");
    BOOST_TEST(config.read_token() == "one");
    folder.write("t", "\n two \r\n");
    BOOST_TEST(config.read_token() == "two");
    for (auto const* text : {"\n", "a b", "a\r\nX-Evil: b", "\xff"}) {
        folder.write("t", text);
        BOOST_CHECK_THROW((void)config.read_token(), kube_config_error);
    }
}

BOOST_AUTO_TEST_CASE(warns_of_a_server_that_is_not_verified) {
    const auto config = read(config_of(server_line + ", insecure-skip-tls-verify: true"));
    BOOST_TEST(!config.verify);
    BOOST_REQUIRE(config.warnings.size() == 1U);
    BOOST_TEST(contains(config.warnings[0], R"(cluster "c": insecure-skip-tls-verify is set)"));
    BOOST_TEST(read(config_of(server_line + ", insecure-skip-tls-verify: false")).verify);
}

BOOST_AUTO_TEST_CASE(says_in_one_line_what_cannot_be_used) {
    const std::string s = server_line;
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "is empty"},
        {"[", "is no YAML"},
        {"- a", "expected a YAML map"},
        {"kind: Config", "current-context is not set"},
        {"current-context: x", R"(contexts has no entry named "x")"},
        {"current-context: [x]", "current-context: expected a text"},
        {"current-context: x\ncontexts: {}", "contexts: expected a sequence"},
        {"current-context: x\ncontexts: [{name: x}]", R"(context "x": expected a map)"},
        {"current-context: x\ncontexts: [{name: x, context: {user: u}}]", "names no cluster"},
        {"current-context: x\ncontexts: [{name: x, context: {cluster: c}}]",
         R"(clusters has no entry named "c")"},
        {config_of(s + ", proxy-url: 'http://p'"), "proxy-url is not supported"},
        {config_of(s + ", insecure-skip-tls-verify: maybe"), "expected true or false"},
        {config_of(s + ", insecure-skip-tls-verify: true, certificate-authority: x"),
         "are both given"},
        {config_of(s + ", certificate-authority-data: '?'"), "expected base64"},
        {config_of(s, "exec: {command: aws}"), R"(context "prod": user "u": exec, a plugin)"},
        {config_of(s, "auth-provider: {name: gcp}"), "auth-provider, a plugin"},
        {config_of(s, "username: a, password: s3cret"), "username is not supported"},
        {config_of(s, "token: t, as: admin"), "impersonation, is not supported"},
        {config_of(s, "client-key: x"), "expected client-certificate and client-key"},
        {config_of(s, "client-certificate: x, client-key: y"), "cannot be opened"},
        {config_of(s, "tokenFile: absent"), "cannot be opened"},
        {config_of(s, "tokenFile: ."), "cannot be read"},
        {config_of(s, "token: 'two words'"), "expected a bearer token in one line"},
        {config_of(s + ", certificate-authority-data: Q0E="),
         "certificate-authority-data: expected certificates in PEM"},
        {config_of(s, "client-certificate-data: Q0E=, client-key-data: Q0E="),
         "client-certificate-data: expected certificates in PEM"},
    };
    for (auto const& [text, part] : cases) {
        BOOST_TEST_CONTEXT(text) {
            const auto why = refusal(text);
            BOOST_TEST(contains(why, part), why);
            BOOST_TEST(why.starts_with("--kubeconfig"));
            BOOST_TEST(!contains(why, "\n"));
            BOOST_TEST(!contains(why, "s3cret"));
        }
    }
    BOOST_CHECK_THROW((void)read_kubeconfig(folder.path() / "absent"), kube_config_error);
}

BOOST_AUTO_TEST_CASE(refuses_a_key_that_is_encrypted_or_anothers) {
    const auto one = test::self_signed(test::client_spec());
    const auto other = test::self_signed(test::client_spec());
    folder.write("tls.crt", one.certificate);
    const auto text = config_of(server_line, "client-certificate: tls.crt, client-key: tls.key");
    folder.write("tls.key", test::encrypted_key(one));
    BOOST_TEST(contains(refusal(text), "tls.key\": expected the client certificate's key"));
    folder.write("tls.key", other.key);
    BOOST_TEST(contains(refusal(text), "tls.key\": expected the client certificate's key"));
    folder.write("tls.key", one.key);
    BOOST_TEST(refusal(text) == "");
}

BOOST_AUTO_TEST_CASE(finds_the_api_server_in_a_cluster) {
    std::map<std::string, std::string> variables = {{"KUBERNETES_SERVICE_HOST", "fd00::1"},
                                                    {"KUBERNETES_SERVICE_PORT", "443"}};
    const environment lookup = [&variables](char const* name) -> char const* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    };
    folder.write("token", "sa-token");
    folder.write("ca.crt", test::self_signed(test::authority_spec()).certificate);
    const auto config = in_cluster_config(lookup, folder.path());
    check_credentials(config, "--node-cache=watch");
    BOOST_TEST(config.host_field() == "[fd00::1]");
    BOOST_TEST(config.server_name == "fd00::1");
    BOOST_TEST(config.read_token() == "sa-token");
    BOOST_TEST(config.authority.file.native() == (folder.path() / "ca.crt").native());

    variables.erase("KUBERNETES_SERVICE_PORT");
    try {
        (void)in_cluster_config(lookup, folder.path());
        BOOST_ERROR("was taken");
    } catch (kube_config_error const& e) {
        BOOST_TEST(contains(e.what(), "outside a cluster give --kubeconfig=FILE"));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace nodesieve::server
