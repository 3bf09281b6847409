package gpuscheduler

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

var ctx = context.Background()

func TestPreFilterRefusesAnInvalidPodOnce(t *testing.T) {
	p := newPlugin(t, "")
	for sentence, pod := range map[string]*v1.Pod{
		"minimum GPU memory must be 1..1048576 MiB":          gpuPod(1, "80Gi"),
		"minimum GPU memory requires a positive GPU request": gpuPod(0, "8000"),
		"missing pod": nil,
	} {
		_, status := p.PreFilter(ctx, framework.NewCycleState(), pod, nil)
		expectCode(t, status, fwk.UnschedulableAndUnresolvable)
		if status.Message() != sentence {
			t.Errorf("expected %q, got %q", sentence, status.Message())
		}
	}
}

func TestSkipsWhatThePolicyHasNothingToDecide(t *testing.T) {
	p := newPlugin(t, "")
	for _, c := range []struct {
		pod                 *v1.Pod
		preFilter, preScore fwk.Code
	}{
		{gpuPod(0), fwk.Skip, fwk.Skip},
		{gpuPod(1), fwk.Skip, fwk.Success},
		{gpuPod(1, "1"), fwk.Success, fwk.Success},
	} {
		state := framework.NewCycleState()
		_, status := p.PreFilter(ctx, state, c.pod, nil)
		expectCode(t, status, c.preFilter)
		expectCode(t, p.PreScore(ctx, state, c.pod, nil), c.preScore)
		expectCode(t, p.PreScore(ctx, framework.NewCycleState(), c.pod, nil), c.preScore)
	}
}

func TestFilterAndScoreNeedNoOtherExtensionPoint(t *testing.T) {
	p := newPlugin(t, "")
	for name, state := range map[string]fwk.CycleState{"a fresh state": framework.NewCycleState(), "no state": nil} {
		t.Run(name, func(t *testing.T) {
			expectCode(t, p.Filter(ctx, state, gpuPod(1, "40960"), infoOf(node("40960"))), fwk.Success)
			status := p.Filter(ctx, state, gpuPod(1, "40960"), infoOf(node("40959")))
			expectCode(t, status, fwk.UnschedulableAndUnresolvable)
			if status.Message() != "GPU memory label is below the required minimum" {
				t.Error(status.Message())
			}
			score, status := p.Score(ctx, state, gpuPod(1, "40960"), infoOf(node("40960")))
			expectCode(t, status, fwk.Success)
			if score != 50 {
				t.Errorf("score %d", score)
			}
		})
	}
}

func TestReportsAMissingNode(t *testing.T) {
	p := newPlugin(t, "")
	for _, info := range []fwk.NodeInfo{nil, framework.NewNodeInfo()} {
		status := p.Filter(ctx, framework.NewCycleState(), gpuPod(1), info)
		_, scoreStatus := p.Score(ctx, framework.NewCycleState(), gpuPod(1), info)
		for _, s := range []*fwk.Status{status, scoreStatus} {
			expectCode(t, s, fwk.Error)
			if s.Message() != "missing node" {
				t.Error(s.Message())
			}
		}
	}
}

func TestScoreFailsForAnInvalidPod(t *testing.T) {
	p := newPlugin(t, "")
	state := framework.NewCycleState()
	_, status := p.Score(ctx, state, gpuPod(1, "x"), infoOf(node("40960")))
	expectCode(t, status, fwk.Error)
	expectCode(t, p.PreScore(ctx, state, gpuPod(1, "x"), nil), fwk.Error)
}

func TestTakesTheFirstLabelThatANodeHas(t *testing.T) {
	p := newPlugin(t, `nodeMemoryLabels: [nvidia.com/gpu.memory, training.example.com/gpu-memory-mib]`)
	for first, expected := range map[string]fwk.Code{
		"81920": fwk.Success,
		"16384": fwk.UnschedulableAndUnresolvable,
		"":      fwk.UnschedulableAndUnresolvable,
	} {
		n := node("40960")
		n.Labels["nvidia.com/gpu.memory"] = first
		expectCode(t, p.Filter(ctx, nil, gpuPod(1, "40960"), infoOf(n)), expected)
	}
	expectCode(t, p.Filter(ctx, nil, gpuPod(1, "40960"), infoOf(node("40960"))), fwk.Success)
}

// The framework writes the plugin's name to each Status that it is given, from several goroutines.
func TestGivesEachRefusedNodeAStatusOfItsOwn(t *testing.T) {
	p := newPlugin(t, "")
	state := framework.NewCycleState()
	first := p.Filter(ctx, state, gpuPod(1, "2"), infoOf(node("1")))
	second := p.Filter(ctx, state, gpuPod(1, "2"), infoOf(node("1")))
	first.SetPlugin("x")
	first.AppendReason("y")
	third := p.Filter(ctx, state, gpuPod(1, "2"), infoOf(node("1")))
	if second.Plugin() != "" || len(second.Reasons()) != 1 || len(third.Reasons()) != 1 {
		t.Errorf("got %v and %v", second.Reasons(), third.Reasons())
	}
}

func TestAnswersManyGoroutinesOfACycleAlike(t *testing.T) {
	p := newPlugin(t, "")
	for _, preFilter := range []bool{true, false} {
		state := framework.NewCycleState()
		pod := gpuPod(1, "500")
		if preFilter {
			p.PreFilter(ctx, state, pod, nil)
		}
		var goroutines sync.WaitGroup
		for range 16 {
			goroutines.Go(func() {
				for memory := 1; memory <= 1000; memory++ {
					info := infoOf(node(fmt.Sprint(memory)))
					if status := p.Filter(ctx, state, pod, info); status.IsSuccess() != (memory >= 500) {
						t.Errorf("%d: %v", memory, status)
					}
					if score, _ := p.Score(ctx, state, pod, info); score != int64(memory*100/81920) {
						t.Errorf("%d: score %d", memory, score)
					}
				}
			})
		}
		goroutines.Wait()
	}
}

func TestACloneOfTheStateIsWorthTheSame(t *testing.T) {
	p := newPlugin(t, "")
	state := framework.NewCycleState()
	p.PreFilter(ctx, state, gpuPod(1, "2"), nil)
	expectCode(t, p.Filter(ctx, state.Clone(), gpuPod(1, "2"), infoOf(node("1"))), fwk.UnschedulableAndUnresolvable)
}

func signatureOf(t *testing.T, p *Plugin, pod *v1.Pod) (string, bool) {
	t.Helper()
	fragments, status := p.SignPod(ctx, pod)
	if !status.IsSuccess() {
		expectCode(t, status, fwk.Unschedulable)
		return "", false
	}
	text, err := json.Marshal(fragments) // as the framework does
	if err != nil {
		t.Fatal(err)
	}
	return string(text), true
}

// Every Pod of the vectors on every node of the vectors.
func TestPodsWithEqualSignaturesAreTreatedAlike(t *testing.T) {
	p := newPlugin(t, "")
	var pods []*v1.Pod
	byLabel := map[string]*v1.Node{} // the rest of a node does not matter
	for _, v := range readVectors(t) {
		pod, nodes, _, aboutPolicy := v.args(t)
		if !aboutPolicy {
			continue
		}
		pods = append(pods, pod)
		for _, n := range nodes {
			label, labelled := n.Labels[labelKey]
			byLabel[fmt.Sprint(labelled, label)] = n
		}
	}
	var nodes []*v1.Node
	for _, n := range byLabel {
		nodes = append(nodes, n)
	}
	bySignature := map[string]outcome{}
	annotations := map[string]map[string]bool{}
	for _, pod := range pods {
		signature, signed := signatureOf(t, p, pod)
		seen := runCycle(t, p, pod, nodes, false)
		if !signed {
			if seen.refusal == "" {
				t.Errorf("not signed, but not invalid: %v", pod)
			}
			continue
		}
		if known, exists := bySignature[signature]; exists && known.String() != seen.String() {
			t.Errorf("%s: %v and %v", signature, known, seen)
		}
		bySignature[signature] = seen
		if annotations[signature] == nil {
			annotations[signature] = map[string]bool{}
		}
		annotations[signature][pod.Annotations[annotationKey]] = true
	}
	if len(bySignature) < 5 || len(nodes) < 50 {
		t.Errorf("only %d signatures on %d nodes", len(bySignature), len(nodes))
	}
	for _, texts := range annotations {
		if len(texts) > 1 {
			return
		}
	}
	t.Error("no two Pods with annotations written differently share a signature")
}

func TestSignaturesDifferWhereThePolicyDoes(t *testing.T) {
	p := newPlugin(t, "")
	seen := map[string]bool{}
	for _, pod := range []*v1.Pod{gpuPod(0), gpuPod(1), gpuPod(1, "1"), gpuPod(1, "2")} {
		signature, signed := signatureOf(t, p, pod)
		if !signed || seen[signature] {
			t.Errorf("signed: %v, seen before: %v: %s", signed, seen[signature], signature)
		}
		seen[signature] = true
	}
	one, _ := signatureOf(t, p, gpuPod(1, "1"))
	four, _ := signatureOf(t, p, gpuPod(4, "1"))
	if one != four {
		t.Errorf("the number of GPUs is not the policy's matter: %s and %s", one, four)
	}
}

func TestCountsAPodsEffectiveRequest(t *testing.T) {
	p := newPlugin(t, "")
	pod := gpuPod(0, "1")
	pod.Spec.Overhead = v1.ResourceList{"nvidia.com/gpu": resource.MustParse("1m")}
	if _, signed := signatureOf(t, p, pod); !signed {
		t.Error("a positive request is not seen")
	}
}
