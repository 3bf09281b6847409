package objects

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodShape is what the tests vary of a Pod.
type PodShape struct {
	Name     string
	Minimum  string   // the annotation; "" for none
	GPUs     int      // 0 means one
	CPU      string   // "" means 100m
	Nodes    []string // the only nodes that it may go to; none means all
	Priority string   // a PriorityClass
}

// Pod makes it, for a scheduler. It leaves at once when it is deleted, since no kubelet runs here.
func (s PodShape) Pod(scheduler string) *v1.Pod {
	gpus := resource.MustParse(strconv.Itoa(max(1, s.GPUs)))
	cpu := resource.MustParse("100m")
	if s.CPU != "" {
		cpu = resource.MustParse(s.CPU)
	}
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: s.Name, Labels: map[string]string{"app": "train"}},
		Spec: v1.PodSpec{
			SchedulerName: scheduler, RestartPolicy: v1.RestartPolicyNever,
			PriorityClassName: s.Priority, TerminationGracePeriodSeconds: new(int64),
			Containers: []v1.Container{{
				Name: "main", Image: "registry.example.com/train:1.2.3",
				Resources: v1.ResourceRequirements{
					Requests: v1.ResourceList{v1.ResourceCPU: cpu, v1.ResourceMemory: resource.MustParse("64Mi"), GPU: gpus},
					Limits:   v1.ResourceList{GPU: gpus},
				},
			}},
		},
	}
	if s.Minimum != "" {
		pod.Annotations = map[string]string{MinimumAnnotation: s.Minimum}
	}
	if len(s.Nodes) > 0 {
		pod.Spec.Affinity = onlyOn(s.Nodes)
	}
	return pod
}

func onlyOn(nodes []string) *v1.Affinity {
	hostname := v1.NodeSelectorRequirement{Key: "kubernetes.io/hostname", Operator: v1.NodeSelectorOpIn, Values: nodes}
	return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{hostname}}},
		},
	}}
}
