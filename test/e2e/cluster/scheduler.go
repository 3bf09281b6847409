package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// SchedulerName is what Pods have to ask for.
const SchedulerName = "custom-scheduler"

// SchedulerConfig is what the tests vary of a KubeSchedulerConfiguration.
type SchedulerConfig struct {
	Binary   string // "" takes the unchanged kube-scheduler
	Percent  int    // percentageOfNodesToScore; 0 is adaptive
	Extender *ExtenderConfig
	Plugin   string // enabled at every extension point that it has
	// NoSpread turns default topology spreading off; with it on, kube-scheduler batches no Pod.
	NoSpread bool
}

// ExtenderConfig is the extender's part of it.
type ExtenderConfig struct {
	URL              string
	NodeCacheCapable bool
	PreemptVerb      bool
	Timeout          time.Duration // 0 is 5 s
}

var schedulerConfiguration = template.Must(template.New("").Parse(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: "{{.Kubeconfig}}", qps: 2000, burst: 4000}
leaderElection: {leaderElect: false}
percentageOfNodesToScore: {{.Percent}}
profiles:
- schedulerName: {{.Name}}
{{- if .NoSpread}}
  pluginConfig:
  - {name: PodTopologySpread, args: {defaultingType: List}}
{{- end}}
{{- with .Plugin}}
  plugins:
    multiPoint: {enabled: [{name: {{.}}, weight: 10}]}
{{- end}}
{{- if .Extender}}
extenders:
- urlPrefix: {{.Extender.URL}}
  filterVerb: filter
  prioritizeVerb: prioritize
  {{- if .Extender.PreemptVerb}}
  preemptVerb: preempt
  {{- end}}
  weight: 1
  enableHTTPS: true
  tlsConfig: {caFile: "{{.TLS.CA}}", certFile: "{{.TLS.ClientCert}}", keyFile: "{{.TLS.ClientKey}}"}
  httpTimeout: {{.Timeout}}
  nodeCacheCapable: {{.Extender.NodeCacheCapable}}
  ignorable: false
{{- end}}
`))

// text is the configuration as YAML.
func (s SchedulerConfig) text(kubeconfig string, certificates Certificates) (string, error) {
	timeout := 5 * time.Second
	if s.Extender != nil && s.Extender.Timeout > 0 {
		timeout = s.Extender.Timeout
	}
	var out strings.Builder
	err := schedulerConfiguration.Execute(&out, struct {
		SchedulerConfig
		Kubeconfig, Name string
		TLS              Certificates
		Timeout          time.Duration
	}{s, kubeconfig, SchedulerName, certificates, timeout})
	return out.String(), err
}

// StartScheduler starts kube-scheduler and waits until it holds the nodes and Pods. Its log goes to a file of
// its own, named after label.
func (c *ControlPlane) StartScheduler(ctx context.Context, label string, config SchedulerConfig) (*Process, error) {
	text, err := config.text(c.Admin, c.certificates)
	if err != nil {
		return nil, err
	}
	file := c.file("kube-scheduler-" + label + ".yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	binary := config.Binary
	if binary == "" {
		binary = filepath.Join(c.binaries, "kube-scheduler")
	}
	// It makes a certificate of its own, which only /readyz is served with.
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	var p *Process
	err = withFreePorts(1, func(ports []int) error {
		var err error
		p, err = startProcess(c.file("kube-scheduler-"+label+".log"), binary, nil,
			"--config", file, "--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(ports[0]),
			"--authentication-skip-lookup", "--v", "2")
		if err != nil {
			return err
		}
		url := fmt.Sprintf("https://127.0.0.1:%d/readyz", ports[0])
		return waitReady(ctx, p, func(ctx context.Context) (bool, string) { return ok(ctx, client, url) })
	})
	if err != nil {
		p.Kill()
	}
	return p, err
}
