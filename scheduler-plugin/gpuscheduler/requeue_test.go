package gpuscheduler

import (
	"maps"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// hintFor tells what becomes of a refused Pod when something changes, as kube-scheduler finds it out:
// the change becomes events, and of those that the plugin registered the hints are asked.
func hintFor(t *testing.T, p *Plugin, pod *v1.Pod, events []fwk.ClusterEvent, oldObj, newObj any) fwk.QueueingHint {
	t.Helper()
	registered, err := p.EventsToRegister(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range events {
		for _, r := range registered {
			if !framework.MatchClusterEvents(r.Event, event) {
				continue
			}
			hint, err := r.QueueingHintFn(klog.Background(), pod, oldObj, newObj)
			if err != nil {
				t.Fatal(err)
			}
			if hint == fwk.Queue {
				return hint
			}
		}
	}
	return fwk.QueueSkip
}

func hintForNode(t *testing.T, p *Plugin, pod *v1.Pod, oldNode, newNode *v1.Node) fwk.QueueingHint {
	t.Helper()
	if oldNode == nil {
		added := []fwk.ClusterEvent{{Resource: fwk.Node, ActionType: fwk.Add}}
		return hintFor(t, p, pod, added, nil, newNode)
	}
	events := framework.NodeSchedulingPropertiesChange(newNode, oldNode)
	if len(events) == 0 {
		t.Fatal("not a change that the scheduler sees")
	}
	return hintFor(t, p, pod, events, oldNode, newNode)
}

func changed(n *v1.Node, change func(*v1.Node)) *v1.Node {
	n = n.DeepCopy()
	change(n)
	return n
}

func TestARefusedPodIsTriedAgainAfterANodeChange(t *testing.T) {
	p := newPlugin(t, "")
	pod := gpuPod(1, "40960")
	for name, c := range map[string]struct {
		old, new *v1.Node
		expected fwk.QueueingHint
	}{
		"a node that fits is added":            {nil, node("40960"), fwk.Queue},
		"a node that does not fit is added":    {nil, node("40959"), fwk.QueueSkip},
		"a node without label is added":        {nil, node(), fwk.QueueSkip},
		"the label rises to the minimum":       {node("16384"), node("40960"), fwk.Queue},
		"the label appears":                    {node(), node("81920"), fwk.Queue},
		"the label is corrected":               {node("80Gi"), node("81920"), fwk.Queue},
		"the label rises, but not enough":      {node("16384"), node("24576"), fwk.QueueSkip},
		"the label falls":                      {node("81920"), node("16384"), fwk.QueueSkip},
		"the label vanishes":                   {node("81920"), node(), fwk.QueueSkip},
		"the label changes on a node that fit": {node("40960"), node("81920"), fwk.QueueSkip},
		"another label of a node that fits": {node("81920"),
			changed(node("81920"), func(n *v1.Node) { n.Labels["zone"] = "b" }), fwk.QueueSkip},
		"a taint of a node that fits goes": {
			changed(node("81920"), func(n *v1.Node) { n.Spec.Taints = []v1.Taint{{Key: "x"}} }), node("81920"), fwk.QueueSkip},
		"a node that fits is uncordoned": {
			changed(node("81920"), func(n *v1.Node) { n.Spec.Unschedulable = true }), node("81920"), fwk.QueueSkip},
		"a node that fits has more to give": {node("81920"), changed(node("81920"), func(n *v1.Node) {
			n.Status.Allocatable = v1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
		}), fwk.QueueSkip},
		"an annotation of a node that fits": {node("81920"),
			changed(node("81920"), func(n *v1.Node) { n.Annotations = map[string]string{"a": "b"} }), fwk.QueueSkip},
		"a condition of a node that fits": {node("81920"), changed(node("81920"), func(n *v1.Node) {
			n.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}
		}), fwk.QueueSkip},
	} {
		t.Run(name, func(t *testing.T) {
			if seen := hintForNode(t, p, pod, c.old, c.new); seen != c.expected {
				t.Errorf("expected %v, got %v", c.expected, seen)
			}
		})
	}
}

func TestNoNodeHelpsAnInvalidPod(t *testing.T) {
	p := newPlugin(t, "")
	if seen := hintForNode(t, p, gpuPod(1, "80Gi"), nil, node("81920")); seen != fwk.QueueSkip {
		t.Errorf("got %v", seen)
	}
}

func TestARefusedPodIsTriedAgainWhenItChanges(t *testing.T) {
	p := newPlugin(t, "")
	without := func(pod *v1.Pod) *v1.Pod { pod.Annotations = nil; return pod }
	labelled := func(pod *v1.Pod) *v1.Pod {
		pod.Labels = map[string]string{"a": "b"}
		pod.Annotations = maps.Clone(pod.Annotations)
		return pod
	}
	other := func(pod *v1.Pod) *v1.Pod { pod.UID = "other"; return pod }
	for name, c := range map[string]struct {
		old, new *v1.Pod
		expected fwk.QueueingHint
	}{
		"the annotation is corrected":             {gpuPod(1, "80Gi"), gpuPod(1, "81920"), fwk.Queue},
		"the annotation is taken away":            {gpuPod(1, "80Gi"), without(gpuPod(1)), fwk.Queue},
		"the minimum changes":                     {gpuPod(1, "81920"), gpuPod(1, "40960"), fwk.Queue},
		"it is corrected together with a label":   {gpuPod(1, "80Gi"), labelled(gpuPod(1, "81920")), fwk.Queue},
		"the annotation stays wrong":              {gpuPod(1, "80Gi"), gpuPod(1, "81920 MiB"), fwk.QueueSkip},
		"the annotation becomes wrong":            {gpuPod(1, "81920"), gpuPod(1, "80Gi"), fwk.QueueSkip},
		"the minimum is written in another way":   {gpuPod(1, "81920"), gpuPod(1, "+81920"), fwk.QueueSkip},
		"only a label changes":                    {gpuPod(1, "81920"), labelled(gpuPod(1, "81920")), fwk.QueueSkip},
		"the annotation of another Pod corrected": {other(gpuPod(1, "80Gi")), other(gpuPod(1, "81920")), fwk.QueueSkip},
	} {
		t.Run(name, func(t *testing.T) {
			pod := c.new
			if c.new.UID == "other" {
				pod = gpuPod(1, "80Gi")
			}
			events := framework.PodSchedulingPropertiesChange(c.new, c.old)
			if seen := hintFor(t, p, pod, events, c.old, c.new); seen != c.expected {
				t.Errorf("expected %v, got %v", c.expected, seen)
			}
		})
	}
}

func TestObjectsOfAnotherKindAreReported(t *testing.T) {
	p := newPlugin(t, "")
	registered, _ := p.EventsToRegister(ctx)
	for _, r := range registered {
		if hint, err := r.QueueingHintFn(klog.Background(), gpuPod(1), nil, &v1.Service{}); err == nil || hint != fwk.Queue {
			t.Errorf("%v: got %v, %v", r.Event, hint, err)
		}
	}
}

// The scheduler adds a hint that always says Queue for plugins that ask for added nodes but not for taints.
func TestAsksForTaintsTogetherWithAddedNodes(t *testing.T) {
	registered, _ := newPlugin(t, "").EventsToRegister(ctx)
	for _, r := range registered {
		if r.Event.Resource == fwk.Node && r.Event.ActionType&fwk.Add != 0 && r.Event.ActionType&fwk.UpdateNodeTaint == 0 {
			t.Error("without UpdateNodeTaint each change of a taint queues every refused Pod")
		}
	}
}
