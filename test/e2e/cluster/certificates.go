package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Certificates are throw-away files in one folder: a CA, a server's for localhost, a client's, and a key that
// signs service accounts' tokens.
type Certificates struct {
	CA, ServerCert, ServerKey, ClientCert, ClientKey, AccountKey string
}

// MakeCertificates writes them, good for a day.
func MakeCertificates(folder string) (Certificates, error) {
	in := func(name string) string { return filepath.Join(folder, name) }
	files := Certificates{
		in("ca.crt"), in("server.crt"), in("server.key"),
		in("client.crt"), in("client.key"), in("accounts.key"),
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return files, err
	}
	caKey, err := makeKey(in("ca.key"))
	if err != nil {
		return files, err
	}
	ca := unsigned("nodesieve e2e CA")
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	if err := sign(files.CA, ca, ca, caKey, caKey); err != nil {
		return files, err
	}
	for _, each := range []struct{ name, cert, key string }{
		{"localhost", files.ServerCert, files.ServerKey}, {"kube-scheduler", files.ClientCert, files.ClientKey},
	} {
		key, err := makeKey(each.key)
		if err != nil {
			return files, err
		}
		leaf := unsigned(each.name)
		leaf.DNSNames, leaf.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)}
		leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
		if err := sign(each.cert, leaf, ca, key, caKey); err != nil {
			return files, err
		}
	}
	_, err = makeKey(files.AccountKey)
	return files, err
}

// Client is the TLS configuration of a client that trusts the CA and shows the client's certificate.
func (c Certificates) Client() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(c.ClientCert, c.ClientKey)
	if err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(c.CA)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}

func unsigned(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature,
	}
}

func makeKey(file string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(file, "EC PRIVATE KEY", der)
}

func sign(file string, certificate, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, certificate, parent, &key.PublicKey, parentKey)
	if err != nil {
		return err
	}
	return writePEM(file, "CERTIFICATE", der)
}

func writePEM(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
