package gpuscheduler

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"example.com/nodesieve/scheduler-plugin/policy"
)

// benchmarkNodes are 5,000 nodes of real ones, each decoded for itself, so that their labels lie as
// scattered in memory as a scheduler's do.
func benchmarkNodes(b *testing.B) []fwk.NodeInfo {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(testData, "nodes/node-*.json"))
	if err != nil || len(files) == 0 {
		b.Fatal(files, err)
	}
	var texts [][]byte
	for _, file := range files {
		text := readFile(b, filepath.Join("nodes", filepath.Base(file)))
		if len(text) < 30000 { // some are large on purpose
			texts = append(texts, text)
		}
	}
	memories := []string{"16384", "24576", "40960", "49152", "81920", "143771", "80Gi"}
	infos := make([]fwk.NodeInfo, 5000)
	for i := range infos {
		n := &v1.Node{}
		unmarshal(b, texts[i%len(texts)], n)
		n.Name = fmt.Sprintf("ip-10-0-%d-%d.ec2.internal", i/256, i%256)
		n.ResourceVersion = fmt.Sprint(100000 + i)
		label, err := json.Marshal(map[string]string{labelKey: memories[i%len(memories)]})
		if err != nil {
			b.Fatal(err)
		}
		unmarshal(b, label, &n.Labels) // the one more
		infos[i] = infoOf(n)
	}
	return infos
}

// eachNodeCold runs f for each node, with the caches as the rest of a scheduling cycle leaves them:
// full of other things than labels, but with what other plugins read of a node before this one.
func eachNodeCold(b *testing.B, infos []fwk.NodeInfo, f func(fwk.NodeInfo)) {
	rest := make([]byte, 96<<20)
	b.ResetTimer()
	b.ReportAllocs()
	for range b.N {
		b.StopTimer()
		for i := 0; i < len(rest); i += 64 {
			rest[i]++
		}
		tainted := 0
		for _, info := range infos {
			if n := info.Node(); n.Spec.Unschedulable || len(n.Spec.Taints) > 0 {
				tainted++
			}
		}
		b.StartTimer()
		for _, info := range infos {
			f(info)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(infos)), "ns/node")
}

func BenchmarkFilter(b *testing.B) {
	p := newPlugin(b, "")
	state := framework.NewCycleState()
	pod := gpuPod(1, "40960")
	infos := benchmarkNodes(b)
	for _, info := range infos {
		p.Filter(ctx, state, pod, info)
	}
	p.memories.startCycle(len(infos))
	eachNodeCold(b, infos, func(info fwk.NodeInfo) { p.Filter(ctx, state, pod, info) })
}

func BenchmarkScore(b *testing.B) {
	p := newPlugin(b, "")
	state := framework.NewCycleState()
	pod := gpuPod(1, "40960")
	infos := benchmarkNodes(b)
	for _, info := range infos {
		p.Filter(ctx, state, pod, info)
	}
	p.memories.startCycle(len(infos))
	eachNodeCold(b, infos, func(info fwk.NodeInfo) { p.Score(ctx, state, pod, info) })
}

// The ways from a node to a decision that docs/decisions/0005 compares.
func BenchmarkDecide(b *testing.B) {
	type version struct {
		version string
		memory  int32
	}
	p := newPlugin(b, "")
	infos := benchmarkNodes(b)
	labels := p.config.NodeMemoryLabels
	requirement := policy.Requirement{HasGPU: true, MinMemoryMiB: 40960}
	var byName, byMemory sync.Map
	for _, info := range infos {
		n := info.Node()
		memory := policy.ReadMemory(firstLabel(n, labels))
		byName.Store(n.Name, &version{n.ResourceVersion, memory})
		byMemory.Store(memory, p.rules.Decide(requirement, memory))
		p.memories.of(n, labels)
	}
	p.memories.startCycle(len(infos))
	for _, way := range []struct {
		name   string
		decide func(*v1.Node) policy.Decision
	}{
		{"labels looked up", func(n *v1.Node) policy.Decision {
			return p.rules.Decide(requirement, policy.ReadMemory(firstLabel(n, labels)))
		}},
		{"remembered by name and version", func(n *v1.Node) policy.Decision {
			known, _ := byName.Load(n.Name)
			if known.(*version).version != n.ResourceVersion {
				b.Fatal("not known")
			}
			return p.rules.Decide(requirement, known.(*version).memory)
		}},
		{"remembered by object", func(n *v1.Node) policy.Decision {
			return p.rules.Decide(requirement, p.memories.of(n, labels))
		}},
		{"remembered by object, and decisions by memory", func(n *v1.Node) policy.Decision {
			known, _ := byMemory.Load(p.memories.of(n, labels))
			return known.(policy.Decision)
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			var last policy.Decision
			eachNodeCold(b, infos, func(info fwk.NodeInfo) { last = way.decide(info.Node()) })
			memory := policy.ReadMemory(firstLabel(infos[len(infos)-1].Node(), labels))
			if last != p.rules.Decide(requirement, memory) {
				b.Error("the last decision is wrong")
			}
		})
	}
}
