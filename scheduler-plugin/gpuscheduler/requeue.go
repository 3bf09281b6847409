package gpuscheduler

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"example.com/nodesieve/scheduler-plugin/policy"
)

// EventsToRegister tells what may help a Pod that this plugin refused.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		// UpdateNodeTaint helps no Pod, but a plugin that asks for Add without it is given it with a hint
		// that always says Queue (buildQueueingHintMap in pkg/scheduler/scheduler.go, 1.35.8).
		{
			Event: fwk.ClusterEvent{
				Resource:   fwk.Node,
				ActionType: fwk.Add | fwk.UpdateNodeLabel | fwk.UpdateNodeTaint,
			},
			QueueingHintFn: p.afterNodeChange,
		},
		// A changed annotation has no event of its own: it comes as the general update.
		{
			Event:          fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Update},
			QueueingHintFn: p.afterPodChange,
		},
	}, nil
}

// afterNodeChange queues the Pod again if a node that was added fits, or one fits now that did not.
func (p *Plugin) afterNodeChange(_ klog.Logger, pod *v1.Pod,
	oldObj, newObj any) (fwk.QueueingHint, error) {
	node, isNode := newObj.(*v1.Node)
	if !isNode {
		return fwk.Queue, fmt.Errorf("expected a changed Node, got %T", newObj)
	}
	requirement, err := p.requirementOf(pod)
	if err != nil || !p.fits(requirement, node) {
		return fwk.QueueSkip, nil
	}
	if old, isNode := oldObj.(*v1.Node); isNode && p.fits(requirement, old) {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

// afterPodChange queues the Pod again if it is the one that changed and asks for something else now.
func (p *Plugin) afterPodChange(_ klog.Logger, pod *v1.Pod,
	oldObj, newObj any) (fwk.QueueingHint, error) {
	old, isPod := oldObj.(*v1.Pod)
	changed, isPodToo := newObj.(*v1.Pod)
	if !isPod || !isPodToo {
		return fwk.Queue, fmt.Errorf("expected two Pods, got %T and %T", oldObj, newObj)
	}
	if changed.UID != pod.UID {
		return fwk.QueueSkip, nil
	}
	requirement, err := p.requirementOf(changed)
	if err != nil {
		return fwk.QueueSkip, nil
	}
	if before, err := p.requirementOf(old); err == nil && before == requirement {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

// fits does not remember the node: an event comes once.
func (p *Plugin) fits(requirement policy.Requirement, node *v1.Node) bool {
	memory := policy.ReadMemory(firstLabel(node, p.config.NodeMemoryLabels))
	return p.rules.Decide(requirement, memory).Verdict == policy.Fits
}
