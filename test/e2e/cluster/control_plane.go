package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Watcher is the user whose kubeconfig nodesieve gets; what it may do is for the test to grant.
const Watcher = "nodesieve"

// ControlPlane is etcd and kube-apiserver. Not for more than one goroutine, but for Client.
type ControlPlane struct {
	Client *kubernetes.Clientset // as an administrator, without a limit of its own
	Admin  string                // kubeconfig file of an administrator
	Watch  string                // kubeconfig file of Watcher

	folder, binaries string
	certificates     Certificates
	etcd, api        *Process
	etcdPort         int
	apiPort          int
}

// StartControlPlane starts both with data, logs and kubeconfig files in folder, and waits until they are
// ready. The error names the log to read. Stop must be called also behind an error.
func StartControlPlane(ctx context.Context, folder, binaries string, certificates Certificates) (*ControlPlane, error) {
	c := &ControlPlane{folder: folder, binaries: binaries, certificates: certificates}
	if err := withFreePorts(2, func(ports []int) error { return c.startEtcd(ctx, ports[0], ports[1]) }); err != nil {
		return c, err
	}
	tokens := map[string]string{"admin": rand.Text(), Watcher: rand.Text()}
	users := fmt.Sprintf("%s,admin,admin,system:masters\n%s,%s,%s\n", tokens["admin"], tokens[Watcher], Watcher, Watcher)
	if err := os.WriteFile(c.file("tokens.csv"), []byte(users), 0o600); err != nil {
		return c, err
	}
	err := withFreePorts(1, func(ports []int) error {
		c.apiPort = ports[0]
		c.Client = kubernetes.NewForConfigOrDie(&rest.Config{
			Host: c.url(), BearerToken: tokens["admin"], QPS: -1,
			TLSClientConfig: rest.TLSClientConfig{CAFile: certificates.CA},
		})
		return c.StartAPIServer(ctx)
	})
	if err != nil {
		return c, err
	}
	c.Admin, c.Watch = c.file("admin.kubeconfig"), c.file("watch.kubeconfig")
	if err := c.writeKubeconfig(c.Admin, tokens["admin"]); err != nil {
		return c, err
	}
	return c, c.writeKubeconfig(c.Watch, tokens[Watcher])
}

// Stop ends the API server first, because without its etcd it takes half a minute to leave.
func (c *ControlPlane) Stop() {
	c.api.Stop()
	c.etcd.Stop()
}

// KillAPIServer ends it as a crash would.
func (c *ControlPlane) KillAPIServer() { c.api.Kill() }

// Processes are those that run, to look at their logs.
func (c *ControlPlane) Processes() []*Process { return []*Process{c.etcd, c.api} }

func (c *ControlPlane) file(name string) string { return filepath.Join(c.folder, name) }
func (c *ControlPlane) url() string             { return fmt.Sprintf("https://127.0.0.1:%d", c.apiPort) }

func (c *ControlPlane) startEtcd(ctx context.Context, port, peerPort int) error {
	url, peer := fmt.Sprintf("http://127.0.0.1:%d", port), fmt.Sprintf("http://127.0.0.1:%d", peerPort)
	var err error
	c.etcdPort = port
	// Without fsync, because nothing here outlives the run.
	c.etcd, err = startProcess(c.file("etcd.log"), filepath.Join(c.binaries, "etcd"), nil,
		"--data-dir", c.file("etcd"), "--listen-client-urls", url, "--advertise-client-urls", url,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer,
		"--unsafe-no-fsync", "--quota-backend-bytes", "4294967296", "--log-level", "warn")
	if err != nil {
		return err
	}
	return waitReady(ctx, c.etcd, func(ctx context.Context) (bool, string) {
		return ok(ctx, http.DefaultClient, url+"/readyz")
	})
}

// StartAPIServer starts it on the port that it had before, if there was one, and waits until it is ready.
func (c *ControlPlane) StartAPIServer(ctx context.Context) error {
	var err error
	tls := c.certificates
	c.api, err = startProcess(c.file("kube-apiserver.log"), filepath.Join(c.binaries, "kube-apiserver"), nil,
		"--etcd-servers", fmt.Sprintf("http://127.0.0.1:%d", c.etcdPort),
		"--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1", "--secure-port", fmt.Sprint(c.apiPort),
		"--tls-cert-file", tls.ServerCert, "--tls-private-key-file", tls.ServerKey, "--cert-dir", c.file("api"),
		"--token-auth-file", c.file("tokens.csv"), "--authorization-mode", "RBAC",
		"--service-account-issuer", "https://localhost", "--service-account-key-file", tls.AccountKey,
		"--service-account-signing-key-file", tls.AccountKey, "--service-cluster-ip-range", "10.0.0.0/24",
		"--endpoint-reconciler-type", "none", // Endpoints on loopback are invalid
		// No controller runs here that would make service accounts or take the taint of new nodes away.
		"--disable-admission-plugins", "ServiceAccount,TaintNodesByCondition",
		"--max-requests-inflight", "2000", "--max-mutating-requests-inflight", "1000")
	if err != nil {
		return err
	}
	return waitReady(ctx, c.api, func(ctx context.Context) (bool, string) {
		body, err := c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err != nil {
			return false, fmt.Sprint(string(body), err)
		}
		return true, ""
	})
}

func (c *ControlPlane) writeKubeconfig(file, token string) error {
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: e2e
  cluster: {server: "%s", certificate-authority: "%s"}
users:
- name: e2e
  user: {token: "%s"}
contexts:
- name: e2e
  context: {cluster: e2e, user: e2e}
current-context: e2e
`, c.url(), c.certificates.CA, token)
	return os.WriteFile(file, []byte(text), 0o600)
}

// waitReady waits until look is satisfied, or the process has ended.
func waitReady(ctx context.Context, p *Process, look func(context.Context) (bool, string)) error {
	err := Until(ctx, 2*time.Minute, p.Name+" is ready", func(ctx context.Context) (bool, string) {
		if p.Ended() {
			return true, ""
		}
		return look(ctx)
	})
	switch {
	case err != nil:
		return fmt.Errorf("%w; its log (%s) ends with:\n%s", err, p.LogFile, p.Tail(15))
	case p.portTaken():
		return fmt.Errorf("%w: see %s", errPortTaken, p.LogFile)
	case p.Ended():
		return p.endedEarly()
	}
	return nil
}

// ok tells whether a GET is answered with 200.
func ok(ctx context.Context, client *http.Client, url string) (bool, string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err.Error()
	}
	response, err := client.Do(request)
	if err != nil {
		return false, err.Error()
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK, response.Status
}
