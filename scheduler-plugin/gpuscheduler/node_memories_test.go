package gpuscheduler

import (
	"fmt"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestReadsEachNodeObjectOnce(t *testing.T) {
	var m nodeMemories
	n := node("40960")
	m.of(n, []string{labelKey})
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

func TestForgetsStaleNodes(t *testing.T) {
	var m nodeMemories
	const live = 100
	nodes := make([]*v1.Node, live)
	held := 0
	for update := range 100 * live { // each node is updated a hundred times
		nodes[update%live] = node(fmt.Sprint(update + 1))
		m.forgetStale(live)
		for _, n := range nodes {
			if n != nil {
				m.of(n, []string{labelKey})
			}
		}
		held = 0
		m.byNode.Range(func(any, any) bool { held++; return true })
		if held > live+live/4+1 || int64(held) != m.count.Load() {
			t.Fatalf("update %d: %d objects are held, %d counted, of %d live ones", update, held, m.count.Load(), live)
		}
	}
	if held < live {
		t.Errorf("only %d of %d live nodes are remembered", held, live)
	}
}

func TestTheCycleForgetsStaleNodes(t *testing.T) {
	p := newPlugin(t, "")
	p.handle = handle{nodes: []*v1.Node{node("1"), node("2")}}
	for range 10 {
		p.memories.of(node("40960"), []string{labelKey})
	}
	p.factsIn(nil, gpuPod(1))
	if seen := p.memories.count.Load(); seen != 0 {
		t.Errorf("%d objects are held", seen)
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
					m.forgetStale(0)
				}
			}
		})
	}
	goroutines.Wait()
}
