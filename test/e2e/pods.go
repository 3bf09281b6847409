package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/nodesieve/e2e/cluster"
	"example.com/nodesieve/e2e/objects"
)

// aboveAll is a minimum that no node of the tests meets.
const aboveAll = "1048576"

func (s *stage) create(ctx context.Context, shapes ...objects.PodShape) error {
	pods := s.client.CoreV1().Pods(v1.NamespaceDefault)
	for _, shape := range shapes {
		_, err := pods.Create(ctx, shape.Pod(cluster.SchedulerName), metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("Pod %s: %w", shape.Name, err)
		}
	}
	return nil
}

// pods are those that are there and not on their way out, by name.
func (s *stage) pods(ctx context.Context) (map[string]*v1.Pod, error) {
	list, err := s.client.CoreV1().Pods(v1.NamespaceDefault).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	found := map[string]*v1.Pod{}
	for i := range list.Items {
		if list.Items[i].DeletionTimestamp == nil {
			found[list.Items[i].Name] = &list.Items[i]
		}
	}
	return found, nil
}

func (s *stage) deletePods(ctx context.Context) error {
	pods := s.client.CoreV1().Pods(v1.NamespaceDefault)
	atOnce := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	if err := pods.DeleteCollection(ctx, atOnce, metav1.ListOptions{}); err != nil {
		return err
	}
	return cluster.Until(ctx, time.Minute, "the Pods are gone", func(ctx context.Context) (bool, string) {
		list, err := pods.List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err.Error()
		}
		return len(list.Items) == 0, fmt.Sprintf("%d Pods", len(list.Items))
	})
}

// placed waits until the Pods have their nodes, and gives those by Pod.
func (s *stage) placed(ctx context.Context, limit time.Duration, names ...string) (map[string]string, error) {
	nodes := map[string]string{}
	what := fmt.Sprintf("%d Pods have their nodes", len(names))
	err := cluster.Until(ctx, limit, what, func(ctx context.Context) (bool, string) {
		pods, err := s.pods(ctx)
		if err != nil {
			return false, err.Error()
		}
		var waiting []string
		for _, name := range names {
			if pods[name] == nil || pods[name].Spec.NodeName == "" {
				waiting = append(waiting, name)
			} else {
				nodes[name] = pods[name].Spec.NodeName
			}
		}
		return len(waiting) == 0, fmt.Sprintf("%d placed, not %s", len(nodes), strings.Join(waiting, ", "))
	})
	return nodes, err
}

// events are the messages of one kind about a Pod.
func (s *stage) events(ctx context.Context, pod, reason string) ([]string, error) {
	list, err := s.client.CoreV1().Events(v1.NamespaceDefault).List(ctx, metav1.ListOptions{
		FieldSelector: "involvedObject.name=" + pod + ",reason=" + reason,
	})
	if err != nil {
		return nil, err
	}
	var messages []string
	for _, each := range list.Items {
		messages = append(messages, each.Message)
	}
	return messages, nil
}

// refusal waits for a FailedScheduling event of the Pod that has the text.
func (s *stage) refusal(ctx context.Context, pod, text string) (message string, err error) {
	what := "a FailedScheduling event of " + pod + " with " + text
	err = cluster.Until(ctx, 20*time.Second, what, func(ctx context.Context) (bool, string) {
		messages, err := s.events(ctx, pod, "FailedScheduling")
		if err != nil {
			return false, err.Error()
		}
		at := slices.IndexFunc(messages, func(each string) bool { return strings.Contains(each, text) })
		if at < 0 {
			return false, strings.Join(messages, " | ")
		}
		message = messages[at]
		return true, ""
	})
	return message, err
}

// evicted waits a moment, because nothing tells that no eviction will come, and names the Pods that are gone.
func (s *stage) evicted(ctx context.Context, names []string) ([]string, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(2 * time.Second):
	}
	pods, err := s.pods(ctx)
	if err != nil {
		return nil, err
	}
	var gone []string
	for _, name := range names {
		if pods[name] == nil {
			gone = append(gone, name)
		}
	}
	return gone, nil
}
