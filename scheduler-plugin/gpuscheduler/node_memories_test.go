package gpuscheduler

import (
	"fmt"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestReadsANodeObjectOnceForAllCycles(t *testing.T) {
	var m nodeMemories
	n := node("40960")
	m.of(n, []string{labelKey})
	m.startCycle(1)
	n.Labels[labelKey] = "81920" // which kube-scheduler never does
	if seen := m.of(n, []string{labelKey}); seen != 40960 {
		t.Errorf("read again: %d", seen)
	}
}

func TestSeesAnUpdatedNode(t *testing.T) {
	var m nodeMemories
	for memory, text := range map[int32]string{40960: "40960", 81920: "81920", 0: "80Gi"} {
		if seen := m.of(node(text), []string{labelKey}); seen != memory {
			t.Errorf("%s: %d", text, seen)
		}
	}
}

func (m *nodeMemories) held() int {
	held := len(m.read)
	if known := m.known.Load(); known != nil {
		held += len(*known)
	}
	return held
}

func TestForgetsStaleNodes(t *testing.T) {
	var m nodeMemories
	const live = 100
	nodes := make([]*v1.Node, live)
	for i := range nodes {
		nodes[i] = node("1")
	}
	for update := range 100 * live { // each node is updated a hundred times
		nodes[update%live] = node(fmt.Sprint(update + 1))
		m.startCycle(live)
		for _, n := range nodes {
			m.of(n, []string{labelKey})
		}
		if held := m.held(); held < live || held > live+live/4+1 {
			t.Fatalf("update %d: %d objects are held of %d live ones", update, held, live)
		}
	}
}

func TestTheCycleForgetsStaleNodes(t *testing.T) {
	p := newPlugin(t, "")
	p.handle = handle{nodes: []*v1.Node{node("1"), node("2")}}
	for range 10 {
		p.memories.of(node("40960"), []string{labelKey})
		p.factsIn(nil, gpuPod(1))
	}
	if held := p.memories.held(); held > 2 {
		t.Errorf("%d objects are held", held)
	}
}

// A steady cluster is read once: later cycles take no lock for its nodes.
func TestKnowsANodeFromTheNextCycleOn(t *testing.T) {
	var m nodeMemories
	n := node("40960")
	m.of(n, []string{labelKey})
	m.startCycle(1)
	m.of(n, []string{labelKey})
	if len(m.read) != 0 {
		t.Error("read again")
	}
}

func TestManyGoroutinesReadNodesAlike(t *testing.T) {
	var m nodeMemories
	var goroutines sync.WaitGroup
	nodes := make([]*v1.Node, 500)
	for i := range nodes {
		nodes[i] = node(fmt.Sprint(i + 1))
	}
	for range 8 {
		goroutines.Go(func() {
			for i, n := range nodes {
				if seen := m.of(n, []string{labelKey}); seen != int32(i+1) {
					t.Errorf("node %d: %d", i, seen)
				}
				if i%100 == 0 {
					m.startCycle(len(nodes))
				}
			}
		})
	}
	goroutines.Wait()
}
