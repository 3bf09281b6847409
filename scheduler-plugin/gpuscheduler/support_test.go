package gpuscheduler

import (
	"context"
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

const (
	annotationKey = "training.example.com/min-gpu-memory-mib"
	labelKey      = "training.example.com/gpu-memory-mib"
)

// newPlugin makes a plugin; args is the text under `args`, empty for none.
func newPlugin(t testing.TB, args string) *Plugin {
	t.Helper()
	var object runtime.Object
	if args != "" {
		object = &runtime.Unknown{Raw: []byte(args)}
	}
	p, err := New(context.Background(), object, handle{})
	if err != nil {
		t.Fatal(err)
	}
	return p.(*Plugin)
}

// handle is what the plugin uses of the framework's: the nodes of the cycle.
type handle struct {
	fwk.Handle
	nodes []*v1.Node
}

func (h handle) SnapshotSharedLister() fwk.SharedLister { return cache.NewSnapshot(nil, h.nodes) }

// gpuPod asks for GPUs, and for a minimum where one is given.
func gpuPod(gpus int64, minimum ...string) *v1.Pod {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "default", UID: "pod"},
		Spec: v1.PodSpec{Containers: []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{"nvidia.com/gpu": *resource.NewQuantity(gpus, resource.DecimalSI)},
		}}}},
	}
	for _, text := range minimum {
		pod.Annotations = map[string]string{annotationKey: text}
	}
	return pod
}

// node has a memory label where one is given.
func node(memory ...string) *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node", Labels: map[string]string{"zone": "a"}}}
	for _, text := range memory {
		n.Labels[labelKey] = text
	}
	return n
}

func infoOf(n *v1.Node) fwk.NodeInfo {
	info := framework.NewNodeInfo()
	info.SetNode(n)
	return info
}

// outcome is what kube-scheduler makes of a Pod and some nodes.
type outcome struct {
	refusal string   // the Pod is refused whatever the node
	reasons []string // for each node; empty where it fits
	scores  []int64  // for each node
}

// runCycle asks as kube-scheduler does in a scheduling cycle: with the plugin at every extension point that
// it has, or at filter and score only, as the document's configuration has it.
func runCycle(t testing.TB, p *Plugin, pod *v1.Pod, nodes []*v1.Node, allPoints bool) outcome {
	t.Helper()
	ctx := context.Background()
	state := framework.NewCycleState()
	result := outcome{reasons: make([]string, len(nodes)), scores: make([]int64, len(nodes))}
	filters, scores := true, true
	if allPoints {
		_, status := p.PreFilter(ctx, state, pod, nil)
		if status.IsRejected() {
			expectCode(t, status, fwk.UnschedulableAndUnresolvable)
			result.refusal = status.Message()
			return result
		}
		filters = !status.IsSkip()
	}
	for i, n := range nodes {
		if !filters {
			break
		}
		if status := p.Filter(ctx, state, pod, infoOf(n)); !status.IsSuccess() {
			expectCode(t, status, fwk.UnschedulableAndUnresolvable)
			result.reasons[i] = status.Message()
		}
	}
	if allPoints {
		scores = !p.PreScore(ctx, state, pod, nil).IsSkip()
	}
	for i, n := range nodes {
		if !scores {
			break
		}
		score, status := p.Score(ctx, state, pod, infoOf(n))
		if !status.IsSuccess() {
			expectCode(t, status, fwk.Error)
			result.refusal = status.Message()
			return result
		}
		result.scores[i] = score
	}
	return result
}

func expectCode(t testing.TB, status *fwk.Status, expected fwk.Code) {
	t.Helper()
	if status.Code() != expected {
		t.Errorf("expected %v, got %v: %s", expected, status.Code(), status.Message())
	}
}

func (o outcome) String() string { return fmt.Sprintf("%q %q %v", o.refusal, o.reasons, o.scores) }
