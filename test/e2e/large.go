package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"example.com/nodesieve/e2e/cluster"
	"example.com/nodesieve/e2e/objects"
)

// largeMinimum is what the Pods of all measurements ask for: two thirds of the nodes with GPUs have it.
const largeMinimum = 40960

// way is one way to schedule, whose speed is measured.
type way struct {
	name   string
	start  func(context.Context, *stage) error // the extender, if there is one
	config func(*stage) cluster.SchedulerConfig
	pods   int
	shape  objects.PodShape
}

// sections are the parts of the table. Each measures its ways in turn, so that what is compared stands in one
// section.
var sections = []struct {
	name    string
	measure func(context.Context, *stage, *table) error
}{
	{"large: names", compareNames},
	{"large: plugin", comparePlugin},
	{"large: server time", serverTime},
}

// measureAll prints reach and measured, and plays the scenarios that are about size.
func measureAll(ctx context.Context, s *stage) (right bool, err error) {
	if err := s.writeAnswers(); err != nil {
		return false, err
	}
	table := &table{}
	for _, each := range sections {
		if !s.options.only.MatchString(each.name) {
			continue
		}
		if err := each.measure(ctx, s, table); err != nil {
			return false, fmt.Errorf("%s: %w", each.name, err)
		}
	}
	right, err = playGroup(ctx, s, lastGroup)
	table.print(s.options)
	return right && table.reached(), err
}

// inTurn measures each way once a round, and gives the medians of ms a Pod by the ways' names.
func (s *stage) inTurn(ctx context.Context, ways []way) (map[string]float64, error) {
	measured := map[string][]float64{}
	for round := range s.options.rounds {
		for _, each := range ways {
			s.rest()
			if each.start != nil {
				if err := each.start(ctx, s); err != nil {
					return nil, err
				}
			}
			if err := s.schedule(ctx, "large", each.config(s)); err != nil {
				return nil, err
			}
			ms, err := s.timePods(ctx, each)
			if err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", each.name, err, s.logs())
			}
			measured[each.name] = append(measured[each.name], ms)
			progress("round %d of %d: %s: %.1f ms a Pod", round+1, s.options.rounds, each.name, ms)
			if err := s.deletePods(ctx); err != nil {
				return nil, err
			}
		}
	}
	medians := map[string]float64{}
	for name, all := range measured {
		medians[name] = median(all)
	}
	return medians, nil
}

func startNames(flags ...string) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error { return s.nodesieve(ctx, "large", true, flags...) }
}

func startFull(ctx context.Context, s *stage) error { return s.nodesieve(ctx, "large", false) }

func startFloor(ctx context.Context, s *stage) error {
	var err error
	s.extender, err = cluster.StartFloor(ctx, s.launch(s.options.floor, "large"), s.file("answers"))
	return err
}

func startReference(ctx context.Context, s *stage) error {
	var err error
	s.extender, err = cluster.StartReference(ctx, s.launch(s.options.reference, "large"))
	return err
}

func withNames(s *stage) cluster.SchedulerConfig {
	return cluster.SchedulerConfig{
		Percent:  100,
		Extender: &cluster.ExtenderConfig{URL: s.extender.URL, NodeCacheCapable: true},
	}
}

func withFullNodes(s *stage) cluster.SchedulerConfig {
	return cluster.SchedulerConfig{
		Percent:  100,
		Extender: &cluster.ExtenderConfig{URL: s.extender.URL, Timeout: 30 * time.Second},
	}
}

func alone(*stage) cluster.SchedulerConfig { return cluster.SchedulerConfig{Percent: 100} }

func withPlugin(s *stage) cluster.SchedulerConfig {
	return cluster.SchedulerConfig{Binary: s.options.plugin, Percent: 100, Plugin: "GPUScheduler"}
}

// compareNames measures nodesieve with names against the floor, against itself with full nodes, and against the
// document's extender if there is one: these take about a second a Pod, so they get fewer of them.
func compareNames(ctx context.Context, s *stage, t *table) error {
	const none, floor, plugin, document = "no extender", "floor, names", "plugin", "the document's extender"
	const mine, compact = "nodesieve, names", "nodesieve, names, --names-reply=compact"
	const full = "nodesieve, full nodes"
	shape, pods := objects.PodShape{Minimum: strconv.Itoa(largeMinimum)}, s.options.pods
	few := max(3, pods/30)
	ways := []way{
		{none, nil, alone, pods, shape}, {floor, startFloor, withNames, pods, shape},
		{mine, startNames(), withNames, pods, shape}, {compact, startNames("--names-reply=compact"), withNames, pods, shape},
		{full, startFull, withFullNodes, few, shape},
	}
	if s.options.plugin != "" {
		ways = append(ways, way{plugin, nil, withPlugin, pods, shape})
	}
	if s.options.reference != "" {
		ways = append(ways, way{document, startReference, withFullNodes, few, shape})
	}
	medians, err := s.inTurn(ctx, ways)
	if err != nil {
		return err
	}
	for _, each := range ways {
		t.fact(each.name+", ms a Pod", "%.1f", medians[each.name])
	}
	t.atMost(mine+": × the floor", 0.85, medians[mine]/medians[floor])
	t.fact(compact+": × the floor", "%.2f", medians[compact]/medians[floor])
	if s.options.reference != "" {
		t.atLeast(mine+": × as fast as "+document, 50, medians[document]/medians[mine])
	}
	return nil
}

// comparePlugin measures the plugin against a scheduler without it: with Pods of one GPU, and with Pods that
// fill a node, which kube-scheduler gives their node without a new search if every plugin signs them.
func comparePlugin(ctx context.Context, s *stage, t *table) error {
	if s.options.plugin == "" {
		progress("skipped: large: plugin: no gpu-scheduler in %s", s.options.release)
		return nil
	}
	minimum := strconv.Itoa(largeMinimum)
	const none, mine, document = "no plugin", "plugin", "the document's plugin"
	for _, kind := range []struct {
		name  string
		shape objects.PodShape
	}{
		{"Pods of one GPU", objects.PodShape{Minimum: minimum}},
		{"Pods that fill a node", objects.PodShape{Minimum: minimum, GPUs: objects.GPUsOfNode}},
	} {
		fill := kind.shape.GPUs > 0
		with := func(binary, plugin string) func(*stage) cluster.SchedulerConfig {
			return func(*stage) cluster.SchedulerConfig {
				return cluster.SchedulerConfig{Binary: binary, Percent: 100, Plugin: plugin, NoSpread: fill}
			}
		}
		pods := s.options.pods * 5 / 3
		ways := []way{
			{none, nil, with("", ""), pods, kind.shape},
			{mine, nil, with(s.options.plugin, "GPUScheduler"), pods, kind.shape},
		}
		if s.options.referencePlugin != "" {
			ways = append(ways, way{document, nil, with(s.options.referencePlugin, "GPUScheduler"), pods, kind.shape})
		}
		medians, err := s.inTurn(ctx, ways)
		if err != nil {
			return err
		}
		for _, each := range ways {
			t.fact(kind.name+": "+each.name+", ms a Pod", "%.1f", medians[each.name])
		}
		if !fill {
			t.atMost(kind.name+": ms a Pod, plugin / no plugin", 1.15, medians[mine]/medians[none])
			continue
		}
		t.atLeast(kind.name+": Pods/s, plugin / no plugin", 0.85, medians[none]/medians[mine])
		if s.options.referencePlugin != "" {
			t.atLeast(kind.name+": Pods/s, plugin / the document's", 10, medians[document]/medians[mine])
		}
	}
	return nil
}

// writeAnswers writes what cmd/floor has to answer.
func (s *stage) writeAnswers() error {
	text := []byte(belowMinimum + "\n")
	for i, name := range s.names {
		if memory := objects.MemoryMiB(i); memory >= largeMinimum {
			text = fmt.Appendf(text, "%s %d\n", name, min(10, memory*10/81920))
		}
	}
	return os.WriteFile(s.file("answers"), text, 0o600)
}
