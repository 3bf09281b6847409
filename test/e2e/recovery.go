package main

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extender "k8s.io/kube-scheduler/extender/v1"

	"example.com/nodesieve/e2e/cluster"
	"example.com/nodesieve/e2e/objects"
)

// recovery kills the API server, starts it again and relabels all nodes at once, while requests go on.
func recovery(ctx context.Context, s *stage) (string, error) {
	before := s.extender.ResidentMiB()
	load := startLoad(ctx, s)
	ready, err := s.restartAPIServer(ctx)
	var verdicts, writes time.Duration
	if err == nil {
		verdicts, writes, err = s.relabelAll(ctx)
	}
	requests, failed := load.stop()
	if err != nil {
		return "", err
	}
	if failed != "" {
		return "", fmt.Errorf("a request failed meanwhile: %s", failed)
	}
	if verdicts >= 10*time.Second {
		return "", fmt.Errorf("right verdicts %s after the last write, expected within 10 s", verdicts)
	}
	return fmt.Sprintf("API server away for %.1f s; %d nodes relabelled in %.1f s, "+
		"right verdicts %.0f ms after the last write; %d requests, none failed; "+
		"resident memory %.1f MiB before, %.1f behind",
		ready.Seconds(), len(s.names), writes.Seconds(),
		verdicts.Seconds()*1000, requests, before, s.extender.ResidentMiB()), nil
}

// restartAPIServer kills it and starts it again. Before, a write of something else makes the extender's last
// resourceVersion an old one: the new API server, whose watch cache begins where etcd is now, answers the watch
// with 410 Gone.
func (s *stage) restartAPIServer(ctx context.Context) (away time.Duration, err error) {
	note := &v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "note-"}}
	if _, err := s.client.CoreV1().ConfigMaps("default").Create(ctx, note, metav1.CreateOptions{}); err != nil {
		return 0, err
	}
	started := time.Now()
	s.plane.KillAPIServer()
	err = s.plane.StartAPIServer(ctx)
	return time.Since(started), err
}

// relabelAll gives all nodes another amount at once. verdicts is the time from the last write until the
// extender says what follows from it, for each node.
func (s *stage) relabelAll(ctx context.Context) (verdicts, writes time.Duration, err error) {
	const small, large = 50000, 60000
	started := time.Now()
	err = objects.InParallel(len(s.names), 16, func(i int) error {
		amount := small
		if i%5 == 0 {
			amount = large
		}
		return s.nodes.Label(ctx, s.names[i], strconv.Itoa(amount))
	})
	if err != nil {
		return 0, 0, err
	}
	last := time.Now()
	var fit []string
	for i := 0; i < len(s.names); i += 5 {
		fit = append(fit, s.names[i])
	}
	for minimum, nodes := range map[int][]string{large: fit, small: s.names, large + 1: {}} {
		pod := objects.PodShape{Name: "asks", Minimum: strconv.Itoa(minimum)}.Pod(cluster.SchedulerName)
		if err := s.untilFitPod(ctx, pod, nodes, 15*time.Second); err != nil {
			return 0, 0, err
		}
	}
	return time.Since(last), last.Sub(started), nil
}

// load asks the extender again and again, until it is stopped.
type load struct {
	cancel   context.CancelFunc
	ended    chan struct{}
	requests atomic.Int64
	failed   string
}

func startLoad(ctx context.Context, s *stage) *load {
	pod := objects.PodShape{Name: "loads", Minimum: "40960"}.Pod(cluster.SchedulerName)
	asked, names := s.extender, s.names
	ctx, cancel := context.WithCancel(ctx)
	l := &load{cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		pause := time.NewTicker(20 * time.Millisecond)
		defer pause.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-pause.C:
			}
			result, err := asked.Filter(ctx, pod, names)
			if ctx.Err() != nil {
				return
			}
			if err == nil {
				err = coversAll(result, names)
			}
			if err != nil && l.failed == "" {
				l.failed = err.Error()
			}
			l.requests.Add(1)
		}
	}()
	return l
}

// coversAll: each node fits or does not.
func coversAll(result *extender.ExtenderFilterResult, names []string) error {
	fit, unfit := len(*result.NodeNames), len(result.FailedAndUnresolvableNodes)
	if fit+unfit != len(names) {
		return fmt.Errorf("%d nodes fit and %d do not, of %d", fit, unfit, len(names))
	}
	return nil
}

// stop ends it, and tells the first failure.
func (l *load) stop() (requests int64, failed string) {
	l.cancel()
	<-l.ended
	return l.requests.Load(), l.failed
}
