package gpuscheduler

import (
	"errors"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	resourcehelper "k8s.io/component-helpers/resource"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"example.com/nodesieve/scheduler-plugin/policy"
)

// arguments is what stands under `args` in the plugin's pluginConfig. They are named as the
// extender's flags are.
type arguments struct {
	MinMemoryAnnotation string   `json:"minMemoryAnnotation"`
	NodeMemoryLabels    []string `json:"nodeMemoryLabels"`
	GPUResource         string   `json:"gpuResource"`
	ScoreCeilingMiB     int32    `json:"scoreCeilingMiB"`
	ScorePrefer         string   `json:"scorePrefer"` // most or least memory
}

const (
	preferMost  = "most"
	preferLeast = "least"
)

// configOf reads the arguments; those that are left out have the policy's defaults.
func configOf(args runtime.Object) (policy.Config, error) {
	config := policy.DefaultConfig()
	given := arguments{
		MinMemoryAnnotation: config.MinMemoryAnnotation,
		NodeMemoryLabels:    config.NodeMemoryLabels,
		GPUResource:         config.GPUResource,
		ScoreCeilingMiB:     config.ScoreCeilingMiB,
		ScorePrefer:         preferMost,
	}
	if config.PreferLeast {
		given.ScorePrefer = preferLeast
	}
	if err := decodeStrictly(args, &given); err != nil {
		return config, err
	}
	if err := given.validate(); err != nil {
		return config, err
	}
	return policy.Config{
		MinMemoryAnnotation: given.MinMemoryAnnotation,
		NodeMemoryLabels:    given.NodeMemoryLabels,
		GPUResource:         given.GPUResource,
		ScoreCeilingMiB:     given.ScoreCeilingMiB,
		PreferLeast:         given.ScorePrefer == preferLeast,
	}, nil
}

// decodeStrictly refuses what it does not know, so that a misspelt name is not taken for a default.
func decodeStrictly(args runtime.Object, into *arguments) error {
	if args == nil {
		return nil
	}
	unknown, isUnknown := args.(*runtime.Unknown) // what the scheduler has no type for
	if !isUnknown {
		return fmt.Errorf("expected fields of %s, got a %T", Name, args)
	}
	if len(unknown.Raw) == 0 {
		return nil
	}
	asJSON, err := yaml.YAMLToJSONStrict(unknown.Raw) // JSON is YAML
	if err != nil {
		return err
	}
	strict, err := json.UnmarshalStrict(asJSON, into)
	if err != nil {
		return err
	}
	return errors.Join(strict...)
}

func (a *arguments) validate() error {
	if err := checkKey("minMemoryAnnotation", a.MinMemoryAnnotation); err != nil {
		return err
	}
	for i, label := range a.NodeMemoryLabels {
		if err := checkKey(fmt.Sprintf("nodeMemoryLabels[%d]", i), label); err != nil {
			return err
		}
	}
	if err := checkKey("gpuResource", a.GPUResource); err != nil {
		return err
	}
	if resourcehelper.IsSupportedPodLevelResource(v1.ResourceName(a.GPUResource)) {
		return fmt.Errorf("gpuResource: %q: expected a device plugin's resource, not cpu, memory or hugepages",
			a.GPUResource)
	}
	if a.ScorePrefer != preferMost && a.ScorePrefer != preferLeast {
		return fmt.Errorf("scorePrefer: %q: expected %s or %s", a.ScorePrefer, preferMost, preferLeast)
	}
	return nil
}

func checkKey(field, key string) error {
	if faults := validation.IsQualifiedName(key); len(faults) > 0 {
		return fmt.Errorf("%s: %q: %s", field, key, strings.Join(faults, "; "))
	}
	return nil
}
