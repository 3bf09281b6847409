// Package gpuscheduler is a plugin of the scheduler framework that keeps Pods off nodes whose GPUs
// have too little memory, and prefers nodes by it: nodesieve's policy within kube-scheduler.
package gpuscheduler

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"example.com/nodesieve/scheduler-plugin/policy"
)

// Name is the plugin's name in a KubeSchedulerConfiguration.
const Name = "GPUScheduler"

// Plugin reads Pods and nodes and has them judged by the policy. Any number of goroutines may call
// it, as kube-scheduler does for Filter and Score.
type Plugin struct {
	config   policy.Config
	rules    *policy.Policy
	reasons  map[policy.Verdict][]string // of a Status, for each verdict
	handle   fwk.Handle
	memories nodeMemories
}

var (
	_ fwk.PreFilterPlugin   = &Plugin{}
	_ fwk.FilterPlugin      = &Plugin{}
	_ fwk.PreScorePlugin    = &Plugin{}
	_ fwk.ScorePlugin       = &Plugin{}
	_ fwk.SignPlugin        = &Plugin{}
	_ fwk.EnqueueExtensions = &Plugin{}
)

// New is the plugin's factory. args is what pluginConfig has for it: nil for the policy's defaults.
func New(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	config, err := configOf(args)
	if err != nil {
		return nil, fmt.Errorf("args: %w", err)
	}
	rules, err := policy.New(config)
	if err != nil {
		return nil, fmt.Errorf("args: %w", err)
	}
	reasons := map[policy.Verdict][]string{}
	for _, verdict := range policy.Verdicts {
		reasons[verdict] = []string{verdict.Text()}
	}
	klog.FromContext(ctx).V(2).Info("GPU-memory policy", "plugin", Name, "config", config)
	return &Plugin{config: config, rules: rules, reasons: reasons, handle: handle}, nil
}

func (*Plugin) Name() string { return Name }

// PreFilter reads the Pod, once for all nodes.
func (p *Plugin) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod,
	_ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	facts := p.factsIn(state, pod)
	if facts.err != nil {
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, facts.err.Error())
	}
	if !facts.requirement.Filters() {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	return nil, nil
}

// PreFilterExtensions is nil: other Pods on a node change nothing.
func (*Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter refuses a node for good: evicting other Pods changes neither its label nor the Pod.
func (p *Plugin) Filter(_ context.Context, state fwk.CycleState, pod *v1.Pod,
	info fwk.NodeInfo) *fwk.Status {
	node := nodeOf(info)
	if node == nil {
		return missingNode()
	}
	facts := p.factsIn(state, pod)
	if facts.err != nil {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, facts.err.Error())
	}
	if verdict := p.decide(facts, node).Verdict; verdict != policy.Fits {
		// A Status for each node, because the framework writes to it.
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, p.reasons[verdict]...)
	}
	return nil
}

// PreScore has Score skipped for Pods for which all nodes are equal.
func (p *Plugin) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod,
	_ []fwk.NodeInfo) *fwk.Status {
	facts := p.factsIn(state, pod)
	if facts.err != nil {
		return fwk.AsStatus(facts.err)
	}
	if !facts.requirement.Scores() {
		return fwk.NewStatus(fwk.Skip)
	}
	return nil
}

// Score is the policy's, on the framework's own scale.
func (p *Plugin) Score(_ context.Context, state fwk.CycleState, pod *v1.Pod,
	info fwk.NodeInfo) (int64, *fwk.Status) {
	node := nodeOf(info)
	if node == nil {
		return 0, missingNode()
	}
	facts := p.factsIn(state, pod)
	if facts.err != nil {
		return 0, fwk.AsStatus(facts.err)
	}
	return int64(p.decide(facts, node).Score), nil
}

// ScoreExtensions is nil: scores are not normalized, so that a MiB weighs the same whatever
// nodes there are.
func (*Plugin) ScoreExtensions() fwk.ScoreExtensions { return nil }

// signatureKey names the plugin's part of a Pod's signature, in the manner of signers.go of
// k8s.io/kube-scheduler/framework.
const signatureKey = "nodesieve.GPUMemoryRequirement()"

// SignPod lets kube-scheduler use the results for one Pod for the next one of the same signature:
// the requirement is all that the policy knows of a Pod.
func (p *Plugin) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	requirement, err := p.requirementOf(pod)
	if err != nil {
		return nil, fwk.NewStatus(fwk.Unschedulable, err.Error())
	}
	return []fwk.SignFragment{{Key: signatureKey, Value: requirement}}, nil
}

// requirementOf reads a Pod as the policy needs it.
func (p *Plugin) requirementOf(pod *v1.Pod) (policy.Requirement, error) {
	if pod == nil {
		return policy.Requirement{}, policy.ErrMissingPod
	}
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	gpus := requests[v1.ResourceName(p.config.GPUResource)]
	annotation, annotated := pod.Annotations[p.config.MinMemoryAnnotation]
	return policy.ReadRequirement(gpus.Sign(), annotation, annotated)
}

func nodeOf(info fwk.NodeInfo) *v1.Node {
	if info == nil {
		return nil
	}
	return info.Node()
}

func missingNode() *fwk.Status { return fwk.NewStatus(fwk.Error, "missing node") }
