package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	extender "k8s.io/kube-scheduler/extender/v1"

	"example.com/nodesieve/e2e/cluster"
	"example.com/nodesieve/e2e/objects"
)

// timePods creates the Pods and gives ms a Pod between the first placement and the last.
func (s *stage) timePods(ctx context.Context, w way) (float64, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Minute, errors.New("not placed within 5 minutes"))
	defer cancel()
	pods := s.client.CoreV1().Pods(v1.NamespaceDefault)
	watcher, err := pods.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	defer watcher.Stop()
	created := make(chan error, 1)
	go func() {
		created <- objects.InParallel(w.pods, 8, func(i int) error {
			shape := w.shape
			shape.Name = fmt.Sprintf("timed-%d", i)
			_, err := pods.Create(ctx, shape.Pod(cluster.SchedulerName), metav1.CreateOptions{})
			return err
		})
	}()
	first, last, err := s.watchPlacements(ctx, watcher, w.pods)
	cancel()
	if failed := <-created; failed != nil && err == nil {
		err = failed
	}
	return float64(last.Sub(first).Microseconds()) / 1000 / float64(w.pods-1), err
}

// watchPlacements waits for a number of Pods, and tells when the first and the last got its node.
func (s *stage) watchPlacements(ctx context.Context, watcher watch.Interface, pods int) (first, last time.Time, err error) {
	placed := map[string]bool{}
	for len(placed) < pods {
		select {
		case <-ctx.Done():
			return first, last, fmt.Errorf("%d of %d Pods placed: %w", len(placed), pods, context.Cause(ctx))
		case event, open := <-watcher.ResultChan():
			pod, isPod := event.Object.(*v1.Pod)
			if !open || !isPod {
				return first, last, fmt.Errorf("the watch of Pods ended with %d of %d placed: %v",
					len(placed), pods, event.Object)
			}
			if event.Type == watch.Deleted || pod.Spec.NodeName == "" || placed[pod.Name] {
				continue
			}
			last = time.Now()
			if len(placed) == 0 {
				first = last
			}
			placed[pod.Name] = true
		}
	}
	return first, last, nil
}

// serverTime lets nodesieve-bench send requests with all names on one warm connection, and takes the server's time
// from its own histogram, whose buckets end at both reaches.
func serverTime(ctx context.Context, s *stage, t *table) error {
	s.rest()
	if err := s.nodesieve(ctx, "large", true); err != nil {
		return err
	}
	pod := objects.PodShape{Name: "asks", Minimum: strconv.Itoa(largeMinimum)}.Pod(cluster.SchedulerName)
	body, err := json.Marshal(extender.ExtenderArgs{Pod: pod, NodeNames: &s.names})
	if err != nil {
		return err
	}
	file := s.file("names.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		return err
	}
	for _, verb := range []struct {
		path  string
		reach float64
	}{{"filter", 0.8}, {"prioritize", 0.6}} {
		if err := s.checkReply(ctx, verb.path, body); err != nil {
			return err
		}
		before, err := s.extender.Durations(ctx, verb.path)
		if err != nil {
			return err
		}
		atClient, err := s.bench(ctx, verb.path, file)
		if err != nil {
			return err
		}
		durations, err := s.extender.Durations(ctx, verb.path)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("%s, %d names, mTLS, ms: p50 of 1,000", verb.path, len(s.names))
		t.under(what+" in the server", verb.reach, durations.MedianSince(before))
		t.fact(what+" at the client", "%.2f", atClient)
	}
	return nil
}

// bench gives the p50 of 1,000 requests in ms.
func (s *stage) bench(ctx context.Context, verb, body string) (float64, error) {
	command := exec.CommandContext(ctx, filepath.Join(s.options.release, "nodesieve-bench"),
		"--url", s.extender.URL+"/"+verb, "--body", body, "--count", "1000", "--warm-up", "50", "--json",
		"--ca", s.certificates.CA, "--cert", s.certificates.ClientCert, "--key", s.certificates.ClientKey)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return 0, fmt.Errorf("nodesieve-bench: %w: %.500s", err, text)
	}
	var report struct {
		Servers []struct {
			Latency struct {
				P50 float64 `json:"p50"`
			} `json:"latency_seconds"`
		} `json:"servers"`
	}
	if err := json.Unmarshal(text, &report); err != nil || len(report.Servers) == 0 {
		return 0, fmt.Errorf("nodesieve-bench: not the JSON expected: %.300s", text)
	}
	return report.Servers[0].Latency.P50 * 1000, nil
}

// checkReply holds one reply against the nodes' labels before its time counts.
func (s *stage) checkReply(ctx context.Context, verb string, body []byte) error {
	status, reply, err := s.extender.Post(ctx, "/"+verb, body)
	if err != nil {
		return err
	}
	var result extender.ExtenderFilterResult
	var ranking extender.HostPriorityList
	into := any(&result)
	if verb == "prioritize" {
		into = &ranking
	}
	if err := json.Unmarshal(reply, into); err != nil || status != 200 {
		return fmt.Errorf("%s: status %d, %.200s", verb, status, reply)
	}
	var fit []string
	scores := map[string]int64{}
	for _, each := range ranking {
		scores[each.Host] = each.Score
	}
	for i, name := range s.names {
		memory := objects.MemoryMiB(i)
		if memory >= largeMinimum {
			fit = append(fit, name)
		}
		if expected := int64(min(10, memory*10/81920)); verb == "prioritize" && scores[name] != expected {
			return fmt.Errorf("prioritize: %s scores %d, expected %d", name, scores[name], expected)
		}
	}
	if verb == "filter" && (result.NodeNames == nil || !slices.Equal(*result.NodeNames, fit)) {
		return fmt.Errorf("filter: not the %d nodes that fit: %.200s", len(fit), reply)
	}
	return nil
}
