package gpuscheduler

import (
	"maps"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"

	"example.com/nodesieve/scheduler-plugin/policy"
)

// nodeMemories remembers what the policy read of the nodes' labels, by the Node object: objects of
// informers are never changed, an updated node is another one. The labels of 5,000 nodes lie scattered
// in memory, and to look one up costs more than all the rest of Filter (docs/decisions/0005). Any number
// of goroutines may use it.
//
// Call order: startCycle() at the start of each scheduling cycle, then of() for its nodes.
type nodeMemories struct {
	known atomic.Pointer[map[*v1.Node]int32] // is not written to once it is here, so needs no lock

	mutex sync.Mutex
	read  map[*v1.Node]int32 // in this cycle; known from the next one on
}

// of returns a node's memory in MiB as policy.ReadMemory does.
func (m *nodeMemories) of(node *v1.Node, labels []string) int32 {
	if known := m.known.Load(); known != nil {
		if memory, exists := (*known)[node]; exists {
			return memory
		}
	}
	memory := policy.ReadMemory(firstLabel(node, labels))
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.read == nil {
		m.read = map[*v1.Node]int32{}
	}
	m.read[node] = memory
	return memory
}

// startCycle makes known what was read. It also lets go of objects that were updated or deleted, so that
// they can be freed: all older ones are forgotten once the stale among them are more than a quarter of the
// `live` ones, which the scheduler's snapshot holds anyway. That cycle then reads their labels again. A cycle that
// reads no label, as for a Pod without GPU, lets go of none unless nodes are gone.
func (m *nodeMemories) startCycle(live int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if len(m.read) == 0 {
		if known := m.known.Load(); known != nil && len(*known) > live+live/4 { // many nodes are gone
			m.known.Store(&map[*v1.Node]int32{})
		}
		return
	}
	next := m.read
	if known := m.known.Load(); known != nil && len(*known)+len(m.read) <= live+live/4 {
		next = maps.Clone(*known)
		maps.Copy(next, m.read)
	}
	m.known.Store(&next)
	m.read = nil
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
