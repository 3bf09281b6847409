package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"example.com/nodesieve/e2e/cluster"
	"example.com/nodesieve/e2e/objects"
)

// The policy's sentences, as Pods' events have to show them.
const (
	belowMinimum = "GPU memory label is below the required minimum"
	noLabel      = "missing or invalid administrator GPU-memory label"
	badMinimum   = "minimum GPU memory must be 1..1048576 MiB"
)

// landsRight places Pods of several minimums, and checks each node's label.
func landsRight(ctx context.Context, s *stage) (string, error) {
	minimums := map[string]int{}
	for _, minimum := range []int{0, 20000, 40960, 81920, objects.Largest} {
		for k := range 6 {
			shape := objects.PodShape{Name: fmt.Sprintf("lands-%d-%d", minimum, k)}
			if minimum > 0 {
				shape.Minimum = strconv.Itoa(minimum)
			}
			if err := s.create(ctx, shape); err != nil {
				return "", err
			}
			minimums[shape.Name] = minimum
		}
	}
	var names []string
	for name := range minimums {
		names = append(names, name)
	}
	nodes, err := s.placed(ctx, time.Minute, names...)
	if err != nil {
		return "", err
	}
	used := map[string]bool{}
	for pod, node := range nodes {
		used[node] = true
		i := slices.Index(s.names, node)
		if i < 0 || !objects.HasGPU(i) || objects.MemoryMiB(i) < minimums[pod] {
			return "", fmt.Errorf("%s needs %d MiB and went to node %d, %s, which has %d",
				pod, minimums[pod], i, node, objects.MemoryMiB(i))
		}
	}
	return fmt.Sprintf("%d Pods of 5 minimums on %d nodes, none below its minimum", len(nodes), len(used)), nil
}

// refusalIsReadable looks for the sentence in the event of a Pod that no node can take.
func refusalIsReadable(ctx context.Context, s *stage) (string, error) {
	if err := s.create(ctx, objects.PodShape{Name: "refused", Minimum: aboveAll}); err != nil {
		return "", err
	}
	message, err := s.refusal(ctx, "refused", belowMinimum)
	return quoted(message), err
}

// invalidIsReadable is the same for a Pod whose annotation is no amount.
func invalidIsReadable(ctx context.Context, s *stage) (string, error) {
	if err := s.create(ctx, objects.PodShape{Name: "invalid", Minimum: "lots"}); err != nil {
		return "", err
	}
	message, err := s.refusal(ctx, "invalid", badMinimum)
	return quoted(message), err
}

func quoted(message string) string {
	if len(message) > 160 {
		message = message[:160] + "…"
	}
	return strconv.Quote(message)
}

// spread places six Pods on two nodes that differ in nothing, and counts.
func spread(ctx context.Context, s *stage) (counts [2]int, seen string, err error) {
	pair := []string{objects.NodeName(5), objects.NodeName(17)}
	var names []string
	for k := range 6 {
		shape := objects.PodShape{Name: fmt.Sprintf("spread-%d", k), Minimum: "40960", CPU: "6", Nodes: pair}
		if err := s.create(ctx, shape); err != nil {
			return counts, "", err
		}
		names = append(names, shape.Name)
	}
	nodes, err := s.placed(ctx, time.Minute, names...)
	if err != nil {
		return counts, "", err
	}
	for _, node := range nodes {
		counts[slices.Index(pair, node)]++
	}
	return counts, fmt.Sprintf("%d/%d", max(counts[0], counts[1]), min(counts[0], counts[1])), nil
}

// spreadSomehow tells how they spread, whatever is right.
func spreadSomehow(ctx context.Context, s *stage) (string, error) {
	_, seen, err := spread(ctx, s)
	return seen, err
}

func spreadEvenly(ctx context.Context, s *stage) (string, error) {
	counts, seen, err := spread(ctx, s)
	if err == nil && counts[0] != 3 {
		err = fmt.Errorf("%s, expected 3/3: scoring did not see the Pods that were placed", seen)
	}
	return seen, err
}

// firstTry gives three nodes more memory than all others, and wants a Pod there without a failed attempt.
func firstTry(ctx context.Context, s *stage) (string, error) {
	rare := []string{objects.NodeName(2), objects.NodeName(50), objects.NodeName(98)}
	for _, name := range rare {
		if err := s.nodes.Label(ctx, name, "200000"); err != nil {
			return "", err
		}
	}
	defer s.restoreLabels(2, 50, 98)
	if err := s.untilFit(ctx, "200000", rare); err != nil {
		return "", err
	}
	if err := s.create(ctx, objects.PodShape{Name: "rare", Minimum: "200000"}); err != nil {
		return "", err
	}
	nodes, err := s.placed(ctx, 20*time.Second, "rare")
	if err != nil {
		return "", err
	}
	if !slices.Contains(rare, nodes["rare"]) {
		return "", fmt.Errorf("it landed on %s, which does not fit", nodes["rare"])
	}
	// Events come in their order: behind Scheduled no FailedScheduling can follow.
	err = cluster.Until(ctx, 10*time.Second, "the Scheduled event", func(ctx context.Context) (bool, string) {
		messages, err := s.events(ctx, "rare", "Scheduled")
		return len(messages) > 0, fmt.Sprint(err)
	})
	if err != nil {
		return "", err
	}
	failed, err := s.events(ctx, "rare", "FailedScheduling")
	if err == nil && len(failed) > 0 {
		err = fmt.Errorf("it failed first: %q", failed)
	}
	return fmt.Sprintf("3 of %d fit, no FailedScheduling event", len(s.names)), err
}
