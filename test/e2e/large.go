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

// measureAll runs every way in turn, round by round, and prints reach and measured.
func measureAll(ctx context.Context, s *stage) (bool, error) {
	if err := s.writeAnswers(); err != nil {
		return false, err
	}
	table := &table{}
	if err := s.compareWays(ctx, table); err != nil {
		return false, err
	}
	if err := s.compareFullNodes(ctx, table); err != nil {
		return false, err
	}
	if err := s.serverTime(ctx, table); err != nil {
		return false, err
	}
	right := true
	s.rest()
	if err := s.nodesieve(ctx, "large", true); err != nil {
		return false, err
	}
	for _, each := range []scenario{
		{"large: a changed label changes the verdict", relabelTime},
		{"large: an API server that restarts fails no request", recovery},
	} {
		if s.options.only.MatchString(each.name) {
			right = s.play(ctx, each) && right
		}
	}
	table.print(s.options)
	return right && table.reached(), nil
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

func startNames(ctx context.Context, s *stage) error { return s.nodesieve(ctx, "large", true) }

func startFloor(ctx context.Context, s *stage) error {
	var err error
	s.extender, err = cluster.StartFloor(ctx, s.file("floor.log"), s.options.floor, s.certificates, s.file("answers"))
	return err
}

func startReference(ctx context.Context, s *stage) error {
	var err error
	s.extender, err = cluster.StartReference(ctx, s.file("reference.log"), s.options.reference, s.certificates)
	return err
}

func withNames(s *stage) cluster.SchedulerConfig {
	return cluster.SchedulerConfig{Percent: 100, Extender: &cluster.ExtenderConfig{URL: s.extender.URL, NodeCacheCapable: true}}
}

func withFullNodes(s *stage) cluster.SchedulerConfig {
	return cluster.SchedulerConfig{Percent: 100, Extender: &cluster.ExtenderConfig{URL: s.extender.URL, Timeout: 30 * time.Second}}
}

func alone(*stage) cluster.SchedulerConfig { return cluster.SchedulerConfig{Percent: 100} }

func withPlugin(s *stage) cluster.SchedulerConfig {
	return cluster.SchedulerConfig{Binary: s.options.plugin, Percent: 100, Plugin: "GPUScheduler"}
}

// compareWays measures the ways that take tens of milliseconds a Pod.
func (s *stage) compareWays(ctx context.Context, t *table) error {
	shape := objects.PodShape{Minimum: strconv.Itoa(largeMinimum)}
	ways := []way{
		{"no extender", nil, alone, s.options.pods, shape},
		{"floor, names", startFloor, withNames, s.options.pods, shape},
		{"nodesieve, names", startNames, withNames, s.options.pods, shape},
	}
	if s.options.plugin != "" {
		ways = append(ways, way{"plugin", nil, withPlugin, s.options.pods, shape})
	}
	medians, err := s.inTurn(ctx, ways)
	if err != nil {
		return err
	}
	for _, each := range ways {
		t.fact(each.name+", ms a Pod", "%.1f", medians[each.name])
	}
	t.atMost("nodesieve, names: × the floor", 0.85, medians["nodesieve, names"]/medians["floor, names"])
	s.namesMedian = medians["nodesieve, names"]
	return nil
}

// compareFullNodes measures the document's extender, which takes seconds a Pod, with fewer Pods.
func (s *stage) compareFullNodes(ctx context.Context, t *table) error {
	if s.options.reference == "" {
		return nil
	}
	const name = "the document's extender"
	shape := objects.PodShape{Minimum: strconv.Itoa(largeMinimum)}
	medians, err := s.inTurn(ctx, []way{{name, startReference, withFullNodes, max(3, s.options.pods/20), shape}})
	if err != nil {
		return err
	}
	t.fact(name+", ms a Pod", "%.0f", medians[name])
	t.atLeast("nodesieve, names: × as fast as "+name, 50, medians[name]/s.namesMedian)
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

// relabelTime tells how long a label takes from the API server to the verdict.
func relabelTime(ctx context.Context, s *stage) (string, error) {
	var times []float64
	for k := range 10 {
		node := 12*k + 1
		started := time.Now()
		if err := s.nodes.Label(ctx, s.names[node], "200000"); err != nil {
			return "", err
		}
		if err := s.untilFit(ctx, "200000", s.names[node:node+1]); err != nil {
			return "", err
		}
		times = append(times, float64(time.Since(started).Microseconds())/1000)
		s.restoreLabels(node)
		if err := s.untilFit(ctx, "200000", []string{}); err != nil {
			return "", err
		}
	}
	longest := times[0]
	for _, each := range times {
		longest = max(longest, each)
	}
	if longest >= 1000 {
		return "", fmt.Errorf("the verdict took %.0f ms, expected under 1 s", longest)
	}
	return fmt.Sprintf("median %.0f ms, longest %.0f ms of %d", median(times), longest, len(times)), nil
}
