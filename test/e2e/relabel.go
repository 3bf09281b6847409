package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"

	"example.com/nodesieve/e2e/cluster"
	"example.com/nodesieve/e2e/objects"
)

// relabelled gives one node after the other the memory that a refused Pod waits for. With a node cache the
// verdict must change within a second.
func relabelled(ctx context.Context, s *stage) (string, error) {
	var verdicts, landings []float64
	late := 0
	for _, node := range []int{2, 26, 50, 74, 98} {
		one, err := relabelOne(ctx, s, node)
		if err != nil {
			return "", err
		}
		if one.late {
			late++
		} else {
			landings = append(landings, one.landed)
		}
		verdicts = append(verdicts, one.verdict)
	}
	if longest := slices.Max(verdicts); longest >= 1 {
		return "", fmt.Errorf("a verdict changed %.3f s after the label's write was sent, expected under 1 s", longest)
	}
	if late > 0 && (!s.cached || len(landings) == 0) {
		return "", fmt.Errorf("%d of %d Pods were not placed within %s of the label's write",
			late, len(verdicts), relabelPatience)
	}
	if longest := slices.Max(landings); !s.cached && longest >= 1 {
		return "", fmt.Errorf("a Pod landed %.3f s after the label's write was sent, expected under 1 s", longest)
	}
	seen := fmt.Sprintf("%d Pods placed at most %.2f s after the label's write was sent",
		len(landings), slices.Max(landings))
	if s.cached {
		seen = fmt.Sprintf("new verdicts after at most %.0f ms; %s", slices.Max(verdicts)*1000, seen)
	}
	if late > 0 {
		seen += fmt.Sprintf("; %d only behind another event: "+
			"kube-scheduler tries once for a node's event, and asked before the cache had it", late)
	}
	return seen, nil
}

// relabelPatience is how long a Pod may take, once its node fits.
const relabelPatience = 3 * time.Second

// relabelling is what came of one node's label, in seconds from sending the write.
type relabelling struct {
	verdict, landed float64
	// late: kube-scheduler asked the extender before the event had come there too, and needs another event.
	late bool
}

func relabelOne(ctx context.Context, s *stage, node int) (one relabelling, err error) {
	const minimum = "300000"
	pod, name := fmt.Sprintf("waits-%d", node), objects.NodeName(node)
	if err := s.create(ctx, objects.PodShape{Name: pod, Minimum: minimum}); err != nil {
		return one, err
	}
	if _, err := s.refusal(ctx, pod, belowMinimum); err != nil {
		return one, err
	}
	defer s.restoreLabels(node)
	started := time.Now()
	if err := s.nodes.Label(ctx, name, minimum); err != nil {
		return one, err
	}
	if s.cached {
		if err := s.untilFit(ctx, minimum, []string{name}); err != nil {
			return one, err
		}
		one.verdict = time.Since(started).Seconds()
	}
	nodes, err := s.placed(ctx, relabelPatience, pod)
	if err != nil && ctx.Err() == nil {
		one.late = true
		if err := s.changeSomeNode(ctx); err != nil {
			return one, err
		}
		nodes, err = s.placed(ctx, 20*time.Second, pod)
	}
	if err != nil {
		return one, err
	}
	if nodes[pod] != name {
		return one, fmt.Errorf("it landed on %s instead of %s", nodes[pod], name)
	}
	one.landed = time.Since(started).Seconds()
	return one, nil
}

// changeSomeNode makes an event that has kube-scheduler try refused Pods again: a node without GPUs is changed.
func (s *stage) changeSomeNode(ctx context.Context) error {
	const node = 3
	if err := s.nodes.Label(ctx, objects.NodeName(node), "1"); err != nil {
		return err
	}
	return s.nodes.Label(ctx, objects.NodeName(node), "")
}

// relabelTime tells how long a label takes from the API server to the verdict.
func relabelTime(ctx context.Context, s *stage) (string, error) {
	var times []float64
	for k := range 8 {
		node := 12*k + 1
		started := time.Now()
		if err := s.nodes.Label(ctx, s.names[node], "200000"); err != nil {
			return "", err
		}
		if err := s.untilFit(ctx, "200000", s.names[node:node+1]); err != nil {
			return "", err
		}
		times = append(times, float64(time.Since(started).Microseconds())/1000)
		s.restoreLabels(node)
		if err := s.untilFit(ctx, "200000", []string{}); err != nil {
			return "", err
		}
	}
	longest := slices.Max(times)
	if longest >= 1000 {
		return "", fmt.Errorf("the verdict took %.0f ms, expected under 1 s", longest)
	}
	return fmt.Sprintf("median %.0f ms, longest %.0f ms of %d", median(times), longest, len(times)), nil
}

// untilFit asks the extender with names until exactly these nodes fit.
func (s *stage) untilFit(ctx context.Context, minimum string, nodes []string) error {
	pod := objects.PodShape{Name: "asks", Minimum: minimum}.Pod(cluster.SchedulerName)
	return s.untilFitPod(ctx, pod, nodes, 5*time.Second)
}

func (s *stage) untilFitPod(ctx context.Context, pod *v1.Pod, nodes []string, limit time.Duration) error {
	// Without a pause between: the time until the verdict is one of the results.
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	last := "nothing"
	for within.Err() == nil {
		result, err := s.extender.Filter(within, pod, s.names)
		switch {
		case err == nil && slices.Equal(*result.NodeNames, nodes):
			return nil
		case err == nil:
			last = fmt.Sprintf("%d nodes fit", len(*result.NodeNames))
		case within.Err() == nil:
			last = err.Error()
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("the extender does not find that %d nodes fit within %s; last seen: %s", len(nodes), limit, last)
}

// restoreLabels gives nodes the memory back that they were made with.
func (s *stage) restoreLabels(nodes ...int) {
	// The scenario's context may be over. Should this fail, the next scenario tells.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, i := range nodes {
		_ = s.nodes.Label(ctx, objects.NodeName(i), strconv.Itoa(objects.MemoryMiB(i)))
	}
}
