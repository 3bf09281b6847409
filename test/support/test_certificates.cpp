#include "test_certificates.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace nodesieve::test {

namespace {

template <auto Free>
struct releases {
    template <class Type>
    void operator()(Type* object) const noexcept {
        Free(object);
    }
};

using bio_ptr = std::unique_ptr<BIO, releases<BIO_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, releases<EVP_PKEY_free>>;
using certificate_ptr = std::unique_ptr<X509, releases<X509_free>>;
using extension_ptr = std::unique_ptr<X509_EXTENSION, releases<X509_EXTENSION_free>>;

void require(bool done, char const* what) {
    if (!done) throw std::runtime_error(std::string("OpenSSL failed to ") + what);
}

bio_ptr reader(std::string const& text) {
    return bio_ptr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string contents(BIO* memory) {
    char* data = nullptr;
    const auto size = BIO_get_mem_data(memory, &data);
    return {data, static_cast<std::size_t>(size)};
}

std::string to_pem(X509* certificate) {
    const bio_ptr out(BIO_new(BIO_s_mem()));
    require(PEM_write_bio_X509(out.get(), certificate) == 1, "write a certificate");
    return contents(out.get());
}

/// Encrypted if there is a passphrase.
std::string to_pem(EVP_PKEY* key, std::string_view passphrase = {}) {
    const bio_ptr out(BIO_new(BIO_s_mem()));
    const auto* const cipher = passphrase.empty() ? nullptr : EVP_aes_256_cbc();
    require(
        PEM_write_bio_PKCS8PrivateKey(out.get(), key, cipher, passphrase.data(),
                                      static_cast<int>(passphrase.size()), nullptr, nullptr) == 1,
        "write a key");
    return contents(out.get());
}

key_ptr read_key(identity const& of) {
    key_ptr key(PEM_read_bio_PrivateKey(reader(of.key).get(), nullptr, nullptr, nullptr));
    require(key != nullptr, "read a key");
    return key;
}

void add_extension(X509* certificate, int id, std::string const& value) {
    const extension_ptr extension(X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str()));
    require(extension != nullptr, "make an extension");
    require(X509_add_ext(certificate, extension.get(), -1) == 1, "add an extension");
}

certificate_ptr unsigned_certificate(certificate_spec const& spec, EVP_PKEY* key) {
    certificate_ptr certificate(X509_new());
    constexpr int version_3 = 2;
    require(X509_set_version(certificate.get(), version_3) == 1, "set the version");

    std::array<unsigned char, 8> serial{};
    require(RAND_bytes(serial.data(), static_cast<int>(serial.size())) == 1, "make a serial");
    // Positive and without leading zeros, as DER wants integers.
    serial[0] = static_cast<unsigned char>((serial[0] & 0x7FU) | 0x40U);
    require(ASN1_STRING_set(X509_get_serialNumber(certificate.get()), serial.data(),
                            static_cast<int>(serial.size())) == 1,
            "set the serial");

    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), spec.not_before.count());
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), spec.not_after.count());
    const auto* const name = reinterpret_cast<unsigned char const*>(spec.common_name.c_str());
    require(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN",
                                       MBSTRING_UTF8, name, -1, -1, 0) == 1,
            "set the subject");
    require(X509_set_pubkey(certificate.get(), key) == 1, "set the key");

    add_extension(certificate.get(), NID_basic_constraints,
                  spec.authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
    add_extension(certificate.get(), NID_key_usage,
                  spec.authority ? "critical,digitalSignature,keyCertSign,cRLSign"
                                 : "critical,digitalSignature");
    if (!spec.extended_key_usage.empty())
        add_extension(certificate.get(), NID_ext_key_usage, spec.extended_key_usage);
    if (!spec.alternative_names.empty())
        add_extension(certificate.get(), NID_subject_alt_name, spec.alternative_names);
    return certificate;
}

identity sign(certificate_spec const& spec, identity const* issuer) {
    const key_ptr key(EVP_EC_gen("P-256"));
    require(key != nullptr, "make a key");
    const auto certificate = unsigned_certificate(spec, key.get());

    certificate_ptr issuer_certificate;
    key_ptr issuer_key;
    if (issuer != nullptr) {
        issuer_certificate.reset(
            PEM_read_bio_X509(reader(issuer->certificate).get(), nullptr, nullptr, nullptr));
        require(issuer_certificate != nullptr, "read a certificate");
        issuer_key = read_key(*issuer);
    }
    auto* const from = issuer != nullptr ? issuer_certificate.get() : certificate.get();
    require(X509_set_issuer_name(certificate.get(), X509_get_subject_name(from)) == 1,
            "set the issuer");
    require(X509_sign(certificate.get(), issuer != nullptr ? issuer_key.get() : key.get(),
                      EVP_sha256()) > 0,
            "sign");
    return {to_pem(certificate.get()), to_pem(key.get())};
}

}  // namespace

certificate_spec authority_spec(std::string common_name) {
    certificate_spec spec;
    spec.common_name = std::move(common_name);
    spec.alternative_names.clear();
    spec.extended_key_usage.clear();
    spec.authority = true;
    return spec;
}

certificate_spec client_spec() {
    certificate_spec spec;
    spec.common_name = "system:kube-scheduler";
    spec.alternative_names.clear();
    spec.extended_key_usage = "clientAuth";
    return spec;
}

identity self_signed(certificate_spec const& spec) { return sign(spec, nullptr); }

identity issue(certificate_spec const& spec, identity const& issuer) { return sign(spec, &issuer); }

std::string encrypted_key(identity const& of) { return to_pem(read_key(of).get(), "passphrase"); }

test_certificates::test_certificates()
    : ca(self_signed(authority_spec())),
      server(issue({}, ca)),
      client(issue(client_spec(), ca)),
      ca_file(directory.write("ca.crt", ca.certificate)),
      server_certificate_file(directory.write("server.crt", server.certificate)),
      server_key_file(directory.write("server.key", server.key)),
      client_certificate_file(directory.write("client.crt", client.certificate)),
      client_key_file(directory.write("client.key", client.key)) {}

}  // namespace nodesieve::test
