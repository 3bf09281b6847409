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

// Launch is what every extender is started with.
type Launch struct {
	Binary, LogFile string
	Certificates    Certificates
}

// StartNodesieve starts it on ports that the system chooses, and waits until /readyz is 200.
func StartNodesieve(ctx context.Context, launch Launch, flags ...string) (*Extender, error) {
	tls := launch.Certificates
	flags = append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
		"--tls-cert", tls.ServerCert, "--tls-key", tls.ServerKey, "--client-ca", tls.CA}, flags...)
	const pattern = `serving .*\baddress=127\.0\.0\.1:(\d+).*\badmin_address=(\S+)`
	e, found, err := launch.start(ctx, pattern, nil, flags)
	if err != nil {
		return nil, err
	}
	e.URL, e.admin = "https://localhost:"+found[1], "http://"+found[2]
	err = waitReady(ctx, e.Process, func(ctx context.Context) (bool, string) {
		return ok(ctx, http.DefaultClient, e.admin+"/readyz")
	})
	if err != nil {
		e.Kill()
		return nil, err
	}
	return e, nil
}

// StartFloor starts cmd/floor, whose answers are in the file.
func StartFloor(ctx context.Context, launch Launch, answers string) (*Extender, error) {
	flags := append(launch.tlsFlags(), "-answers", answers)
	e, found, err := launch.start(ctx, `listening on 127\.0\.0\.1:(\d+)`, nil, flags)
	if err != nil {
		return nil, err
	}
	e.URL = "https://localhost:" + found[1]
	return e, nil
}

// StartReference starts an extender that takes -tls-cert, -tls-key and -client-ca and listens on $ADDR, as the
// document's does, and waits until it answers on TLS.
func StartReference(ctx context.Context, launch Launch) (*Extender, error) {
	var e *Extender
	err := withFreePorts(1, func(ports []int) error {
		var err error
		address := []string{fmt.Sprintf("ADDR=127.0.0.1:%d", ports[0])}
		if e, _, err = launch.start(ctx, "", address, launch.tlsFlags()); err != nil {
			return err
		}
		e.URL = fmt.Sprintf("https://localhost:%d", ports[0])
		return waitReady(ctx, e.Process, func(ctx context.Context) (bool, string) {
			_, _, err := e.Post(ctx, "/filter", []byte("{}"))
			return err == nil, fmt.Sprint(err)
		})
	})
	if err != nil && e != nil {
		e.Kill()
	}
	return e, err
}

// tlsFlags are those of extenders written in Go.
func (l Launch) tlsFlags() []string {
	tls := l.Certificates
	return []string{"-tls-cert", tls.ServerCert, "-tls-key", tls.ServerKey, "-client-ca", tls.CA}
}

// start waits until a line of the log has the pattern, and gives its groups.
func (l Launch) start(ctx context.Context, pattern string, environment, flags []string) (*Extender, []string, error) {
	configuration, err := l.Certificates.Client()
	if err != nil {
		return nil, nil, err
	}
	os.Remove(l.LogFile)
	p, err := startProcess(l.LogFile, l.Binary, environment, flags...)
	if err != nil {
		return nil, nil, err
	}
	transport := &http.Transport{TLSClientConfig: configuration, MaxIdleConnsPerHost: 4}
	e := &Extender{Process: p, client: &http.Client{Transport: transport, Timeout: time.Minute}}
	var found []string
	err = waitReady(ctx, p, func(context.Context) (bool, string) {
		found = regexp.MustCompile(pattern).FindStringSubmatch(p.Tail(50))
		return found != nil, "no line of its log has " + pattern
	})
	if err == nil && found == nil {
		err = p.endedEarly()
	}
	if err != nil {
		p.Kill()
		return nil, nil, err
	}
	return e, found, nil
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
	status, reply, err := e.Post(ctx, "/filter", body)
	if err != nil {
		return nil, err
	}
	result := &extender.ExtenderFilterResult{}
	if status != http.StatusOK {
		return nil, fmt.Errorf("status %d: %.200s", status, reply)
	}
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
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := e.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	reply, err = io.ReadAll(response.Body)
	return response.StatusCode, reply, err
}
