package gpuscheduler

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	extender "k8s.io/kube-scheduler/extender/v1"
)

const testData = "../../test/data"

// vector is a request to the extender and the reference implementation's answer, which nodesieve's own
// extender is held to as well.
type vector struct {
	Family string
	Name   string
	Verb   string
	Body   []byte
	Status int
	Reply  json.RawMessage
}

// What the vectors hold of a filter's reply.
type filterReply struct {
	Passed                []string
	FailedAndUnresolvable map[string]string
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testData, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readVectors(t testing.TB) []vector {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(readFile(t, "vectors/reference.jsonl")))
	lines.Buffer(nil, 64<<20)
	var vectors []vector
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		vectors = append(vectors, v)
	}
	return vectors
}

// podSentences are the refusals that are about the Pod; the others are about the request that carried it,
// which is not how a plugin gets its Pods.
var podSentences = []string{
	"minimum GPU memory must be 1..1048576 MiB",
	"minimum GPU memory requires a positive GPU request",
}

// args returns what kube-scheduler would hand to the plugin, if the vector is about the policy.
func (v vector) args(t *testing.T) (pod *v1.Pod, nodes []*v1.Node, refusal string, aboutPolicy bool) {
	t.Helper()
	if v.Status != 200 {
		unmarshal(t, v.Reply, &refusal)
		refusal = strings.TrimSuffix(refusal, "\n")
		if !slices.Contains(podSentences, refusal) {
			return nil, nil, "", false
		}
	}
	var args extender.ExtenderArgs
	unmarshal(t, v.Body, &args)
	for i := range args.Nodes.Items {
		nodes = append(nodes, &args.Nodes.Items[i])
	}
	return args.Pod, nodes, refusal, true
}

func unmarshal(t testing.TB, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func TestDecidesEachVectorAsTheReferenceDoes(t *testing.T) {
	p := newPlugin(t, "")
	ran := map[string]int{}
	for _, v := range readVectors(t) {
		pod, nodes, refusal, aboutPolicy := v.args(t)
		if !aboutPolicy {
			continue
		}
		ran[v.Family]++
		t.Run(v.Family+"/"+v.Name+"/"+v.Verb, func(t *testing.T) {
			for _, allPoints := range []bool{true, false} {
				seen := runCycle(t, p, pod, nodes, allPoints)
				if refusal != "" {
					expectRefusal(t, seen, refusal, allPoints)
				} else if v.Verb == "filter" {
					expectFilterReply(t, seen, nodes, v.Reply)
				} else {
					expectScores(t, seen, nodes, v.Reply)
				}
			}
		})
	}
	// All of these families but the quantities that a Pod cannot even be decoded with.
	for family, expected := range map[string]int{
		"annotation": 109, "label": 214, "score": 20, "fit": 21, "quantity": 127, "requests": 36,
	} {
		if ran[family] != expected {
			t.Errorf("%s: %d vectors ran, expected %d", family, ran[family], expected)
		}
	}
}

func TestDecidesCapturedRequestsAsTheReferenceDoes(t *testing.T) {
	p := newPlugin(t, "")
	for _, name := range []string{"filter-min15000", "filter-min150000", "prioritize-min15000", "prioritize-nomin"} {
		t.Run(name, func(t *testing.T) {
			v := vector{Status: 200, Body: readFile(t, "requests/"+name+".json")}
			reply := readFile(t, "requests/"+name+".reference-reply.json")
			pod, nodes, _, _ := v.args(t)
			seen := runCycle(t, p, pod, nodes, true)
			if strings.HasPrefix(name, "prioritize") {
				expectScores(t, seen, nodes, reply)
				return
			}
			var full extender.ExtenderFilterResult
			unmarshal(t, reply, &full)
			expected := filterReply{FailedAndUnresolvable: full.FailedAndUnresolvableNodes}
			for _, n := range full.Nodes.Items {
				expected.Passed = append(expected.Passed, n.Name)
			}
			asVector, err := json.Marshal(expected)
			if err != nil {
				t.Fatal(err)
			}
			expectFilterReply(t, seen, nodes, asVector)
		})
	}
}

func expectRefusal(t *testing.T, seen outcome, sentence string, allPoints bool) {
	t.Helper()
	if allPoints {
		if seen.refusal != sentence {
			t.Errorf("expected the Pod to be refused with %q, got %v", sentence, seen)
		}
		return
	}
	for _, reason := range seen.reasons { // without PreFilter each node is refused
		if reason != sentence {
			t.Errorf("expected every node to be refused with %q, got %v", sentence, seen)
		}
	}
}

func expectFilterReply(t *testing.T, seen outcome, nodes []*v1.Node, reply []byte) {
	t.Helper()
	var expected filterReply
	unmarshal(t, reply, &expected)
	var passed []string
	failed := map[string]string{}
	for i, n := range nodes {
		if seen.reasons[i] == "" {
			passed = append(passed, n.Name)
		} else {
			failed[n.Name] = seen.reasons[i]
		}
	}
	if seen.refusal != "" || !slices.Equal(passed, expected.Passed) || !equalMaps(failed, expected.FailedAndUnresolvable) {
		t.Errorf("expected %v, got %v", expected, seen)
	}
}

func equalMaps(a, b map[string]string) bool {
	for key, value := range a {
		if b[key] != value {
			return false
		}
	}
	return len(a) == len(b)
}

func expectScores(t *testing.T, seen outcome, nodes []*v1.Node, reply []byte) {
	t.Helper()
	var expected extender.HostPriorityList
	unmarshal(t, reply, &expected)
	if len(expected) != len(nodes) {
		t.Fatalf("%d scores for %d nodes", len(expected), len(nodes))
	}
	for i, n := range nodes {
		// An extender's scale is 0 to 10.
		if expected[i].Host != n.Name || expected[i].Score != seen.scores[i]/10 {
			t.Errorf("node %s: expected %d of 10, got %d of 100", n.Name, expected[i].Score, seen.scores[i])
		}
	}
}
