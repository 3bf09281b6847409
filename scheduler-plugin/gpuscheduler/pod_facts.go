package gpuscheduler

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"example.com/nodesieve/scheduler-plugin/policy"
)

// podFacts is what a scheduling cycle knows of its Pod: made by whichever extension point comes
// first, because a configuration may leave PreFilter and PreScore out.
type podFacts struct {
	requirement policy.Requirement
	err         error // why the Pod is refused whatever the node
}

// Clone shares the facts, which hold for any state of the nodes. Preemption clones a cycle's state.
func (f *podFacts) Clone() fwk.StateData { return f }

const stateKey fwk.StateKey = Name

// factsIn returns the facts of the cycle that `state` belongs to, which may be nil. Filters run at
// the same time, so several may make them at once: they are equal.
func (p *Plugin) factsIn(state fwk.CycleState, pod *v1.Pod) *podFacts {
	if state != nil {
		if data, err := state.Read(stateKey); err == nil {
			return data.(*podFacts)
		}
	}
	p.memories.startCycle(p.liveNodes())
	facts := &podFacts{}
	facts.requirement, facts.err = p.requirementOf(pod)
	if state != nil {
		state.Write(stateKey, facts)
	}
	return facts
}

// liveNodes is how many nodes the cycle is about.
func (p *Plugin) liveNodes() int {
	if p.handle == nil { // a plugin on its own
		return 0
	}
	nodes, err := p.handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return 0 // forgets all, which is never wrong
	}
	return len(nodes)
}

func (p *Plugin) decide(facts *podFacts, node *v1.Node) policy.Decision {
	return p.rules.Decide(facts.requirement, p.memories.of(node, p.config.NodeMemoryLabels))
}
