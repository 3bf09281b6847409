package gpuscheduler

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/component-base/metrics/testutil"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// cluster is kube-scheduler's own code, in this process, on a fake API server.
type cluster struct {
	*testing.T
	client kubernetes.Interface
}

func startCluster(t *testing.T, configurationFile string, objects ...runtime.Object) cluster {
	t.Helper()
	client := fake.NewClientset(objects...)
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		create := action.(clienttesting.CreateAction)
		if create.GetSubresource() != "binding" {
			return false, nil, nil
		}
		binding := create.GetObject().(*v1.Binding)
		object, err := client.Tracker().Get(v1.SchemeGroupVersion.WithResource("pods"), binding.Namespace, binding.Name)
		if err != nil {
			return true, nil, err
		}
		bound := object.(*v1.Pod).DeepCopy()
		bound.Spec.NodeName = binding.Target.Name
		return true, binding, client.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"), bound, bound.Namespace)
	})
	s, factory, err := newScheduler(t, shippedConfiguration(t, configurationFile), client)
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	if err := s.WaitForHandlersSync(t.Context()); err != nil {
		t.Fatal(err)
	}
	go s.Run(t.Context())
	return cluster{t, client}
}

func named(pod *v1.Pod, name string) *v1.Pod {
	pod.Name, pod.UID = name, types.UID(name) // a real API server makes a UID
	pod.Spec.SchedulerName = "custom-scheduler"
	return pod
}

func (c cluster) create(pod *v1.Pod, name string) {
	c.Helper()
	if _, err := c.client.CoreV1().Pods("default").Create(c.Context(), named(pod, name), metav1.CreateOptions{}); err != nil {
		c.Fatal(err)
	}
}

// waitFor waits until the Pod is on a node whose name starts so, or the message of its PodScheduled condition has the text.
func (c cluster) waitFor(name, nodeName, text string) {
	c.Helper()
	var seen string
	err := wait.PollUntilContextTimeout(c.Context(), 5*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		pod, err := c.client.CoreV1().Pods("default").Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		seen = fmt.Sprint(pod.Spec.NodeName, pod.Status.Conditions)
		if nodeName != "" {
			return strings.HasPrefix(pod.Spec.NodeName, nodeName), nil
		}
		for _, condition := range pod.Status.Conditions {
			if condition.Type == v1.PodScheduled && strings.Contains(condition.Message, text) {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		c.Fatalf("%s: expected %q %q, got %s: %v", name, nodeName, text, seen, err)
	}
}

func gpuNode(name, memory string) *v1.Node {
	n := node(memory)
	n.Name = name
	n.Status.Allocatable = v1.ResourceList{
		"nvidia.com/gpu": resource.MustParse("4"), v1.ResourcePods: resource.MustParse("100"),
	}
	return n
}

var shippedConfigurations = []string{"configmap.yaml", "configmap-recommended.yaml"}

func TestKubeSchedulerPlacesPodsByMemory(t *testing.T) {
	for _, file := range shippedConfigurations {
		t.Run(file, func(t *testing.T) {
			c := startCluster(t, file, gpuNode("small", "16384"), gpuNode("middle", "40960"), gpuNode("large", "81920"))
			// The largest while it has room, then the next; 4 GPUs fill a node.
			c.create(gpuPod(4, "20480"), "first")
			c.waitFor("first", "large", "")
			c.create(gpuPod(4, "20480"), "second")
			c.waitFor("second", "middle", "")
			c.create(gpuPod(4, "20480"), "third")
			c.waitFor("third", "", "0/3 nodes are available: 1 GPU memory label is below the required minimum, "+
				"2 Insufficient nvidia.com/gpu")
			c.create(gpuPod(4), "fourth")
			c.waitFor("fourth", "small", "")
		})
	}
}

func TestKubeSchedulerBatchesPodsThatFillANodeAsRecommended(t *testing.T) {
	for file, expected := range map[string]bool{"configmap.yaml": false, "configmap-recommended.yaml": true} {
		t.Run(file, func(t *testing.T) {
			var objects []runtime.Object
			for i := range 9 {
				objects = append(objects, gpuNode(fmt.Sprintf("node-%d", i), "81920"))
			}
			for i := range 8 {
				pod := named(gpuPod(4, "40960"), fmt.Sprintf("pod-%d", i))
				pod.Labels = map[string]string{"batch.kubernetes.io/job-completion-index": fmt.Sprint(i)}
				objects = append(objects, pod)
			}
			before := hintsUsed(t)
			c := startCluster(t, file, objects...)
			for i := range 8 {
				c.waitFor(fmt.Sprintf("pod-%d", i), "node-", "")
			}
			if used := hintsUsed(t) - before; (used > 0) != expected {
				t.Errorf("%v of 8 Pods were batched", used)
			}
		})
	}
}

// hintsUsed counts the Pods that were given their node without a search.
func hintsUsed(t *testing.T) float64 {
	t.Helper()
	if metrics.BatchAttemptStats == nil {
		return 0 // no scheduler was made yet
	}
	value, err := testutil.GetCounterMetricValue(
		metrics.BatchAttemptStats.WithLabelValues("custom-scheduler", metrics.BatchAttemptHintUsed))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestKubeSchedulerTriesARefusedPodAgain(t *testing.T) {
	for _, file := range shippedConfigurations {
		t.Run(file, func(t *testing.T) {
			c := startCluster(t, file, gpuNode("one", "16384"))
			c.create(gpuPod(1, "40960"), "relabelled")
			c.waitFor("relabelled", "", "GPU memory label is below the required minimum")
			if _, err := c.client.CoreV1().Nodes().Update(t.Context(), gpuNode("one", "49152"), metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			c.waitFor("relabelled", "one", "")

			c.create(gpuPod(1, "81920"), "added")
			c.waitFor("added", "", "GPU memory label is below the required minimum")
			if _, err := c.client.CoreV1().Nodes().Create(t.Context(), gpuNode("two", "81920"), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			c.waitFor("added", "two", "")

			c.create(gpuPod(1, "80Gi"), "corrected")
			c.waitFor("corrected", "", "minimum GPU memory must be 1..1048576 MiB")
			pod, err := c.client.CoreV1().Pods("default").Get(t.Context(), "corrected", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			pod.Annotations[annotationKey] = "81920"
			pod.ResourceVersion = "2" // the scheduler ignores an update to the same version
			if _, err := c.client.CoreV1().Pods("default").Update(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			c.waitFor("corrected", "two", "")
		})
	}
}
