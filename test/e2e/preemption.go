package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/nodesieve/e2e/objects"
)

// crowded are nodes with GPUs that the preemption tests fill; each declares 81920 MiB.
var crowded = []int{4, 16, 28, 40}

// fill gives each crowded node one Pod of low priority that takes all of its GPUs; low[k] goes to crowded[k].
func (s *stage) fill(ctx context.Context) (low []string, err error) {
	for _, i := range crowded {
		only := []string{objects.NodeName(i)}
		shape := objects.PodShape{Name: fmt.Sprintf("low-%d", i), GPUs: objects.GPUsOfNode, Nodes: only}
		if err := s.create(ctx, shape); err != nil {
			return nil, err
		}
		low = append(low, shape.Name)
	}
	_, err = s.placed(ctx, 30*time.Second, low...)
	return low, err
}

// high is a Pod of high priority that may go to the crowded nodes only.
func high(minimum string) objects.PodShape {
	shape := objects.PodShape{Name: "high", Minimum: minimum, Priority: highPriority}
	for _, i := range crowded {
		shape.Nodes = append(shape.Nodes, objects.NodeName(i))
	}
	return shape
}

// tryToEvict fills the nodes, adds the high Pod, waits until the scheduler has decided about it, and names the
// low Pods that are gone.
func (s *stage) tryToEvict(ctx context.Context, minimum string) (gone []string, message string, err error) {
	low, err := s.fill(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := s.create(ctx, high(minimum)); err != nil {
		return nil, "", err
	}
	if message, err = s.refusal(ctx, "high", "nodes are available"); err != nil {
		return nil, "", err
	}
	gone, err = s.evicted(ctx, low)
	return gone, message, err
}

// evictsNone expects that the Pod, which no crowded node can ever take, has nobody evicted.
func (s *stage) evictsNone(ctx context.Context, minimum string) (string, error) {
	gone, message, err := s.tryToEvict(ctx, minimum)
	if err != nil {
		return "", err
	}
	if len(gone) > 0 {
		return "", fmt.Errorf("%d of %d low Pods were evicted for nothing: %v", len(gone), len(crowded), gone)
	}
	pod, err := s.client.CoreV1().Pods("default").Get(ctx, "high", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if pod.Status.NominatedNodeName != "" {
		return "", fmt.Errorf("the Pod is nominated for %s, which cannot take it", pod.Status.NominatedNodeName)
	}
	return fmt.Sprintf("0 of %d low Pods evicted; %s", len(crowded), quoted(message)), nil
}

// evictedWithoutVerb tells how many are evicted when nobody asks the extender.
func evictedWithoutVerb(ctx context.Context, s *stage) (string, error) {
	gone, _, err := s.tryToEvict(ctx, aboveAll)
	return fmt.Sprintf("%d of %d low Pods evicted for a Pod that no node can take", len(gone), len(crowded)), err
}

// evictsThere gives one crowded node the memory that the Pod needs: its low Pod must go, and no other.
func evictsThere(ctx context.Context, s *stage) (string, error) {
	const minimum, chosen = "100000", 2
	node := objects.NodeName(crowded[chosen])
	if err := s.nodes.Label(ctx, node, minimum); err != nil {
		return "", err
	}
	defer s.restoreLabels(crowded[chosen])
	low, err := s.fill(ctx)
	if err != nil {
		return "", err
	}
	if err := s.create(ctx, high(minimum)); err != nil {
		return "", err
	}
	nodes, err := s.placed(ctx, 30*time.Second, "high")
	if err != nil {
		return "", err
	}
	gone, err := s.evicted(ctx, low)
	if err != nil {
		return "", err
	}
	if nodes["high"] != node || !slices.Equal(gone, low[chosen:chosen+1]) {
		return "", fmt.Errorf("the Pod went to %s and %v were evicted, expected %s and %s",
			nodes["high"], gone, node, low[chosen])
	}
	return "1 low Pod evicted, and the Pod landed in its place", nil
}
