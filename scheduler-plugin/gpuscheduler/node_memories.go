package gpuscheduler

import (
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"

	"example.com/nodesieve/scheduler-plugin/policy"
)

// nodeMemories remembers what the policy read of the nodes' labels, by the Node object: objects of
// informers are never changed, an updated node is another one. The labels of 5,000 nodes lie scattered
// in memory, and to look one up costs more than all the rest of Filter (docs/decisions/0005). Any number
// of goroutines may use it.
type nodeMemories struct {
	byNode sync.Map // *v1.Node -> int32
	count  atomic.Int64
}

// of returns a node's memory in MiB as policy.ReadMemory does.
func (m *nodeMemories) of(node *v1.Node, labels []string) int32 {
	if known, exists := m.byNode.Load(node); exists {
		return known.(int32)
	}
	label, labelled := firstLabel(node, labels)
	memory := policy.ReadMemory(label, labelled)
	if _, exists := m.byNode.LoadOrStore(node, memory); !exists {
		m.count.Add(1)
	}
	return memory
}

// forgetStale lets go of objects that were updated or deleted, so that they can be freed: all is
// forgotten once the stale objects are more than a quarter of the `live` ones, which the scheduler's
// snapshot holds anyway. One cycle then reads all labels again.
func (m *nodeMemories) forgetStale(live int) {
	if m.count.Load() > int64(live+live/4) {
		m.byNode.Clear()
		m.count.Store(0)
	}
}

// firstLabel is the value of the first of the labels that the node carries.
func firstLabel(node *v1.Node, labels []string) (string, bool) {
	for _, name := range labels {
		if value, exists := node.Labels[name]; exists {
			return value, true
		}
	}
	return "", false
}
