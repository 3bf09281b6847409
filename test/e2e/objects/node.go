// Package objects makes the Nodes and Pods of the tests.
package objects

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const (
	// MemoryLabel and MinimumAnnotation are the policy's defaults.
	MemoryLabel       = "training.example.com/gpu-memory-mib"
	MinimumAnnotation = "training.example.com/min-gpu-memory-mib"
	// GPU is the resource that makes a Pod a GPU Pod.
	GPU = v1.ResourceName("nvidia.com/gpu")
	// GPUsOfNode is how many each node with GPUs has.
	GPUsOfNode = 4
)

var memories = []int{16384, 24576, 40960, 49152, 81920, 143360}

// Largest is the most memory that a node has before a test changes it.
const Largest = 143360

// HasGPU tells whether node i has GPUs: every fourth has none.
func HasGPU(i int) bool { return i%4 != 3 }

// MemoryMiB is what node i declares; 0 when it has no GPU.
func MemoryMiB(i int) int {
	if !HasGPU(i) {
		return 0
	}
	return memories[i%len(memories)]
}

// NodeName is the name of node i.
func NodeName(i int) string {
	return fmt.Sprintf("ip-10-%d-%d-%d.eu-west-1.compute.internal", i>>16&255, i>>8&255, i&255)
}

// Nodes makes nodes from a real one of 12 KB, and changes them at the API server.
type Nodes struct {
	Client   *kubernetes.Clientset
	template *v1.Node
}

// ReadNodes reads the node that the others are made from.
func ReadNodes(client *kubernetes.Clientset, file string) (*Nodes, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	node := &v1.Node{}
	if err := json.Unmarshal(text, node); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &Nodes{client, node}, nil
}

// node makes node i: as large as the real one, with the capacity of a machine of 48 cores and four GPUs.
func (n *Nodes) node(i int) *v1.Node {
	node := n.template.DeepCopy()
	node.ObjectMeta = metav1.ObjectMeta{Name: NodeName(i), Labels: node.Labels, Annotations: node.Annotations}
	zone := fmt.Sprintf("eu-west-1%c", 'a'+i%3)
	node.Labels["kubernetes.io/hostname"] = node.Name
	node.Labels["topology.kubernetes.io/zone"], node.Labels["failure-domain.beta.kubernetes.io/zone"] = zone, zone
	node.Spec = v1.NodeSpec{ProviderID: fmt.Sprintf("aws:///%s/i-%017x", zone, i)}
	capacity := v1.ResourceList{
		v1.ResourceCPU: resource.MustParse("48"), v1.ResourceMemory: resource.MustParse("195894Mi"),
		v1.ResourcePods: resource.MustParse("110"), v1.ResourceEphemeralStorage: resource.MustParse("524275692Ki"),
	}
	if HasGPU(i) {
		node.Labels[MemoryLabel] = strconv.Itoa(MemoryMiB(i))
		capacity[GPU] = resource.MustParse(strconv.Itoa(GPUsOfNode))
	}
	node.Status.Capacity, node.Status.Allocatable = capacity, capacity.DeepCopy()
	return node
}

// Create makes nodes 0 to count-1 at the API server.
func (n *Nodes) Create(ctx context.Context, count int) error {
	return InParallel(count, 16, func(i int) error {
		// The API server takes the status of a new Node as it is given.
		_, err := n.Client.CoreV1().Nodes().Create(ctx, n.node(i), metav1.CreateOptions{})
		return err
	})
}

// Label changes the memory label of one node; "" takes it away.
func (n *Nodes) Label(ctx context.Context, name, value string) error {
	text := "null"
	if value != "" {
		text = strconv.Quote(value)
	}
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%s}}}`, MemoryLabel, text)
	_, err := n.Client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// InParallel calls work(0) to work(count-1) on a number of goroutines, and gives the first error behind the
// last call.
func InParallel(count, goroutines int, work func(i int) error) error {
	var (
		wait  sync.WaitGroup
		once  sync.Once
		first error
		next  = make(chan int)
	)
	for range goroutines {
		wait.Go(func() {
			for i := range next {
				if err := work(i); err != nil {
					once.Do(func() { first = err })
				}
			}
		})
	}
	for i := range count {
		next <- i
	}
	close(next)
	wait.Wait()
	return first
}
