package main

import (
	"context"
	"fmt"
	"time"

	"example.com/nodesieve/e2e/cluster"
)

// scenario is one check. seen says in a few words what was observed, right or not.
type scenario struct {
	name string
	run  func(context.Context, *stage) (seen string, err error)
}

// group is scenarios under one configuration of the extender and the scheduler.
type group struct {
	name     string
	cached   bool     // the extender watches nodes, the scheduler sends names
	flags    []string // more flags of nodesieve
	preempt  bool     // the scheduler asks before it evicts
	contents []scenario
}

var groups = []group{
	{name: "full", contents: []scenario{
		{"Pods land where the memory suffices", landsRight},
		{"a refused Pod's event says why", refusalIsReadable},
		{"fact: six Pods on two equal nodes", func(ctx context.Context, s *stage) (string, error) {
			_, seen, err := spread(ctx, s)
			return seen, err
		}},
		{"fact: evicted without a preempt verb", func(ctx context.Context, s *stage) (string, error) {
			return s.evictedBy(ctx, aboveAll)
		}},
	}},
	{name: "names", cached: true, preempt: true, flags: []string{"--invalid-pod=unschedulable"}, contents: []scenario{
		{"Pods land where the memory suffices", landsRight},
		{"a refused Pod's event says why", refusalIsReadable},
		{"an invalid Pod's event says why", invalidIsReadable},
		{"six Pods on two equal nodes go 3/3", spreadEvenly},
		{"where 3 nodes fit, the Pod lands at its first try", firstTry},
		{"a relabelled node becomes usable", relabelled},
		{"a minimum that no full node meets evicts none", func(ctx context.Context, s *stage) (string, error) {
			return s.evictsNone(ctx, aboveAll)
		}},
		{"an invalid Pod of high priority evicts none", func(ctx context.Context, s *stage) (string, error) {
			return s.evictsNone(ctx, "lots")
		}},
		{"a minimum that one full node meets evicts there", evictsThere},
		{"an API server that restarts fails no request", recovery},
	}},
}

// runGroups runs what -only lets through and prints a line for each. The error is about starting.
func runGroups(ctx context.Context, s *stage) (right bool, err error) {
	right = true
	for _, g := range groups {
		var chosen []scenario
		for _, each := range g.contents {
			each.name = g.name + ": " + each.name
			if s.options.only.MatchString(each.name) {
				chosen = append(chosen, each)
			}
		}
		if len(chosen) == 0 {
			continue
		}
		if err := g.start(ctx, s); err != nil {
			return false, err
		}
		for _, each := range chosen {
			right = s.play(ctx, each) && right
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
		}
	}
	s.rest()
	return right, nil
}

// start starts the extender and the scheduler of the group.
func (g group) start(ctx context.Context, s *stage) error {
	s.rest()
	if err := s.nodesieve(ctx, g.name, g.cached, g.flags...); err != nil {
		return err
	}
	return s.schedule(ctx, g.name, cluster.SchedulerConfig{
		Percent:  100,
		Extender: &cluster.ExtenderConfig{URL: s.extender.URL, NodeCacheCapable: g.cached, PreemptVerb: g.preempt},
	})
}

// play runs one scenario, prints its line, and takes its Pods away.
func (s *stage) play(ctx context.Context, each scenario) bool {
	started := time.Now()
	seen, err := each.run(ctx, s)
	seconds := time.Since(started).Seconds()
	if err == nil {
		err = s.deletePods(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			fmt.Printf("FAIL %s (%.1f s): %v\n%s", each.name, seconds, err, s.logs())
			_ = s.deletePods(ctx)
		}
		return false
	}
	fmt.Printf("ok   %s (%.1f s): %s\n", each.name, seconds, seen)
	return true
}
