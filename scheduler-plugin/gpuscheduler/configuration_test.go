package gpuscheduler

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"
	"sigs.k8s.io/yaml"

	"example.com/nodesieve/scheduler-plugin/policy"
)

// newScheduler makes a scheduler from a configuration file's text, as kube-scheduler's command does.
func newScheduler(t *testing.T, text string, client kubernetes.Interface) (
	*scheduler.Scheduler, informers.SharedInformerFactory, error) {
	t.Helper()
	object, _, err := scheme.Codecs.UniversalDecoder().Decode([]byte(text), nil, nil)
	if err != nil {
		return nil, nil, err
	}
	c := object.(*config.KubeSchedulerConfiguration)
	c.APIVersion = "kubescheduler.config.k8s.io/v1"
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		return nil, nil, err
	}
	factory := scheduler.NewInformerFactory(client, 0)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	s, err := scheduler.New(t.Context(), client, factory, nil, profile.NewRecorderFactory(broadcaster),
		scheduler.WithComponentConfigVersion(c.APIVersion),
		scheduler.WithProfiles(c.Profiles...),
		scheduler.WithPodInitialBackoffSeconds(c.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(c.PodMaxBackoffSeconds),
		scheduler.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{Name: New}))
	return s, factory, err
}

func readManifest(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile("../../deploy/plugin/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// shippedConfiguration is what a ConfigMap of deploy/plugin mounts.
func shippedConfiguration(t *testing.T, file string) string {
	t.Helper()
	var configMap v1.ConfigMap
	readManifest(t, file, &configMap)
	return configMap.Data["config.yaml"]
}

func TestThePatchMountsTheConfigMap(t *testing.T) {
	var patch appsv1.Deployment
	readManifest(t, "patch.yaml", &patch)
	for _, file := range []string{"configmap.yaml", "configmap-recommended.yaml"} {
		var configMap v1.ConfigMap
		readManifest(t, file, &configMap)
		mounted := patch.Spec.Template.Spec.Volumes[0].ConfigMap.Name
		if configMap.Name != mounted || configMap.Namespace != patch.Namespace {
			t.Errorf("%s: %s/%s, the patch mounts %s/%s", file,
				configMap.Namespace, configMap.Name, patch.Namespace, mounted)
		}
	}
}

func TestShippedConfigurationsEnableThePlugin(t *testing.T) {
	for file, expected := range map[string]map[string]bool{
		"configmap.yaml":             {"PreFilter": false, "Filter": true, "PreScore": false, "Score": true},
		"configmap-recommended.yaml": {"PreFilter": true, "Filter": true, "PreScore": true, "Score": true},
	} {
		s, _, err := newScheduler(t, shippedConfiguration(t, file), fake.NewClientset())
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		framework := s.Profiles["custom-scheduler"]
		plugins := framework.ListPlugins()
		for point, set := range map[string]config.PluginSet{
			"PreFilter": plugins.PreFilter, "Filter": plugins.Filter, "PreScore": plugins.PreScore, "Score": plugins.Score,
		} {
			at := slices.IndexFunc(set.Enabled, func(p config.Plugin) bool { return p.Name == Name })
			if (at >= 0) != expected[point] {
				t.Errorf("%s: %s: enabled: %v", file, point, at >= 0)
			}
			if point == "Score" && set.Enabled[at].Weight != 10 {
				t.Errorf("%s: weight %d", file, set.Enabled[at].Weight)
			}
		}
	}
}

func TestTheRecommendedConfigurationKeepsBatchingOn(t *testing.T) {
	s, _, err := newScheduler(t, shippedConfiguration(t, "configmap-recommended.yaml"), fake.NewClientset())
	if err != nil {
		t.Fatal(err)
	}
	indexed := func(index, minimum string) *v1.Pod {
		pod := gpuPod(4, minimum)
		pod.Labels = map[string]string{"batch.kubernetes.io/job-completion-index": index}
		return pod
	}
	framework := s.Profiles["custom-scheduler"]
	sign := func(pod *v1.Pod) string { return string(framework.SignPod(t.Context(), pod, false)) }
	first := sign(indexed("0", "40960"))
	if !strings.Contains(first, signatureKey) {
		t.Fatalf("the framework's signature is %q", first)
	}
	if second := sign(indexed("1", "40960")); second != first {
		t.Errorf("two Pods of a Job: %s and %s", first, second)
	}
	if other := sign(indexed("1", "81920")); other == first {
		t.Errorf("two minimums have one signature: %s", other)
	}
}

func configuration(args string) string {
	text := `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: custom-scheduler
  plugins: {multiPoint: {enabled: [{name: GPUScheduler, weight: 10}]}}
  pluginConfig:
  - name: GPUScheduler
    args:
`
	for line := range strings.Lines(args) {
		text += "      " + line
	}
	return text
}

func TestReadsItsArgumentsFromTheSchedulersConfiguration(t *testing.T) {
	object, _, err := scheme.Codecs.UniversalDecoder().Decode([]byte(configuration(`
minMemoryAnnotation: example.com/min
nodeMemoryLabels: [nvidia.com/gpu.memory, example.com/memory]
gpuResource: amd.com/gpu
scoreCeilingMiB: 200000
scorePrefer: least`)), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	profile := object.(*config.KubeSchedulerConfiguration).Profiles[0]
	at := slices.IndexFunc(profile.PluginConfig, func(c config.PluginConfig) bool { return c.Name == Name })
	seen, err := configOf(profile.PluginConfig[at].Args)
	if err != nil {
		t.Fatal(err)
	}
	expected := policy.Config{
		MinMemoryAnnotation: "example.com/min",
		NodeMemoryLabels:    []string{"nvidia.com/gpu.memory", "example.com/memory"},
		GPUResource:         "amd.com/gpu",
		ScoreCeilingMiB:     200000,
		PreferLeast:         true,
	}
	if !reflect.DeepEqual(seen, expected) {
		t.Errorf("expected %v, got %v", expected, seen)
	}
}

func TestTheSchedulerDoesNotStartWithWrongArguments(t *testing.T) {
	for args, expected := range map[string]string{
		"nodeMemoryLabel: a":         `unknown field "nodeMemoryLabel"`,
		"ScoreCeilingMiB: 1":         `unknown field "ScoreCeilingMiB"`,
		"scoreCeilingMiB: 0":         `score ceiling: expected 1 to 1048576 MiB, got 0`,
		"scoreCeilingMiB: 1048577":   `score ceiling: expected 1 to 1048576 MiB, got 1048577`,
		"scoreCeilingMiB: 80Gi":      `cannot unmarshal string into Go struct field arguments.scoreCeilingMiB`,
		"scorePrefer: smallest":      `scorePrefer: "smallest": expected most or least`,
		"nodeMemoryLabels: []":       `node memory labels: expected at least one, got none`,
		"nodeMemoryLabels: [a, b c]": `nodeMemoryLabels[1]: "b c": name part must consist of`,
		"minMemoryAnnotation: ''":    `minMemoryAnnotation: "": name part must be non-empty`,
		"gpuResource: a/b/c":         `gpuResource: "a/b/c": a valid label key must consist of`,
		"gpuResource: memory":        `gpuResource: "memory": expected a device plugin's resource`,
		"kind: GPUSchedulerArgs":     `unknown field "kind"`,
	} {
		_, _, err := newScheduler(t, configuration(args), fake.NewClientset())
		if err == nil || !strings.Contains(err.Error(), expected) || !strings.Contains(err.Error(), Name) {
			t.Errorf("%s: expected %q, got %v", args, expected, err)
		}
	}
}
