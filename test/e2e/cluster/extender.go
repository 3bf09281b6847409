package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"time"

	v1 "k8s.io/api/core/v1"
	extender "k8s.io/kube-scheduler/extender/v1"
)

// Extender is a running extender and a client of it. Its methods may be called from several goroutines.
type Extender struct {
	*Process
	URL    string
	admin  string // http://… of nodesieve's second port
	client *http.Client
}

// StartNodesieve starts it on ports that the system chooses, and waits until /readyz is 200.
func StartNodesieve(ctx context.Context, logFile, binary string, certificates Certificates, flags ...string) (*Extender, error) {
	flags = append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
		"--tls-cert", certificates.ServerCert, "--tls-key", certificates.ServerKey, "--client-ca", certificates.CA}, flags...)
	e, found, err := startExtender(ctx, logFile, binary, certificates, nil,
		`serving .*\baddress=127\.0\.0\.1:(\d+).*\badmin_address=(\S+)`, flags)
	if err != nil {
		return nil, err
	}
	e.URL, e.admin = "https://localhost:"+found[1], "http://"+found[2]
	err = waitReady(ctx, e.Process, func(ctx context.Context) (bool, string) { return ok(ctx, http.DefaultClient, e.admin+"/readyz") })
	if err != nil {
		e.Kill()
		return nil, err
	}
	return e, nil
}

// StartFloor starts cmd/floor, whose answers are in the file.
func StartFloor(ctx context.Context, logFile, binary string, certificates Certificates, answers string) (*Extender, error) {
	e, found, err := startExtender(ctx, logFile, binary, certificates, nil, `listening on 127\.0\.0\.1:(\d+)`,
		[]string{"-tls-cert", certificates.ServerCert, "-tls-key", certificates.ServerKey, "-client-ca", certificates.CA, "-answers", answers})
	if err != nil {
		return nil, err
	}
	e.URL = "https://localhost:" + found[1]
	return e, nil
}

// StartReference starts an extender that takes -tls-cert, -tls-key and -client-ca and listens on $ADDR, as the
// document's does, and waits until it answers on TLS.
func StartReference(ctx context.Context, logFile, binary string, certificates Certificates) (*Extender, error) {
	var e *Extender
	err := withFreePorts(1, func(ports []int) error {
		var err error
		e, _, err = startExtender(ctx, logFile, binary, certificates, []string{fmt.Sprintf("ADDR=127.0.0.1:%d", ports[0])}, "",
			[]string{"-tls-cert", certificates.ServerCert, "-tls-key", certificates.ServerKey, "-client-ca", certificates.CA})
		if err != nil {
			return err
		}
		e.URL = fmt.Sprintf("https://localhost:%d", ports[0])
		return waitReady(ctx, e.Process, func(ctx context.Context) (bool, string) {
			response, err := e.post(ctx, "/filter", []byte("{}"))
			if err != nil {
				return false, err.Error()
			}
			response.Body.Close()
			return true, ""
		})
	})
	if err != nil && e != nil {
		e.Kill()
	}
	return e, err
}

// startExtender waits until a line of the log has the pattern, and gives its groups.
func startExtender(ctx context.Context, logFile, binary string, certificates Certificates, environment []string, pattern string, flags []string) (*Extender, []string, error) {
	configuration, err := certificates.Client()
	if err != nil {
		return nil, nil, err
	}
	os.Remove(logFile)
	p, err := startProcess(logFile, binary, environment, flags...)
	if err != nil {
		return nil, nil, err
	}
	e := &Extender{Process: p, client: &http.Client{Transport: &http.Transport{TLSClientConfig: configuration, MaxIdleConnsPerHost: 4}, Timeout: time.Minute}}
	var found []string
	err = waitReady(ctx, p, func(context.Context) (bool, string) {
		found = regexp.MustCompile(pattern).FindStringSubmatch(p.Tail(50))
		return found != nil, "no line of its log has " + pattern
	})
	if err != nil {
		p.Kill()
	}
	return e, found, err
}

// Stop ends it; nothing happens when there is none.
func (e *Extender) Stop() {
	if e != nil {
		e.Process.Stop()
	}
}

// Filter asks with names, as kube-scheduler does with nodeCacheCapable. An error is anything but 200 with an
// empty Error.
func (e *Extender) Filter(ctx context.Context, pod *v1.Pod, names []string) (*extender.ExtenderFilterResult, error) {
	body, err := json.Marshal(extender.ExtenderArgs{Pod: pod, NodeNames: &names})
	if err != nil {
		return nil, err
	}
	return e.FilterBody(ctx, body)
}

// FilterBody is Filter with a body that was made before.
func (e *Extender) FilterBody(ctx context.Context, body []byte) (*extender.ExtenderFilterResult, error) {
	response, err := e.post(ctx, "/filter", body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %.200s", response.Status, reply)
	}
	result := &extender.ExtenderFilterResult{}
	if err := json.Unmarshal(reply, result); err != nil {
		return nil, err
	}
	if result.Error != "" {
		return nil, fmt.Errorf("200 with Error %q", result.Error)
	}
	if result.NodeNames == nil {
		return nil, fmt.Errorf("NodeNames is null in the reply to a request with names")
	}
	return result, nil
}

// Post sends a body and reads the reply to its end.
func (e *Extender) Post(ctx context.Context, path string, body []byte) (status int, reply []byte, err error) {
	response, err := e.post(ctx, path, body)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	reply, err = io.ReadAll(response.Body)
	return response.StatusCode, reply, err
}

// Metrics is the text of nodesieve's /metrics.
func (e *Extender) Metrics(ctx context.Context) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.admin+"/metrics", nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

func (e *Extender) post(ctx context.Context, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	return e.client.Do(request)
}
