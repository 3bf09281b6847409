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
	plugin   bool     // instead of the extender
	alone    bool     // no scheduler
	cached   bool     // the extender watches nodes, the scheduler sends names
	flags    []string // more flags of nodesieve
	preempt  bool     // the scheduler asks before it evicts
	contents []scenario
}

func evictsNoneBelowMinimum(ctx context.Context, s *stage) (string, error) {
	return s.evictsNone(ctx, aboveAll)
}

func evictsNoneForInvalid(ctx context.Context, s *stage) (string, error) {
	return s.evictsNone(ctx, "lots")
}

var groups = []group{
	{name: "full", contents: []scenario{
		{"Pods land where the memory suffices", landsRight},
		{"a refused Pod's event says why", refusalIsReadable},
		{"a relabelled node becomes usable", relabelled},
		{"fact: six Pods on two equal nodes", spreadSomehow},
		{"fact: evicted without a preempt verb", evictedWithoutVerb},
	}},
	{name: "names", cached: true, preempt: true, flags: []string{"--invalid-pod=unschedulable"}, contents: []scenario{
		{"Pods land where the memory suffices", landsRight},
		{"a refused Pod's event says why", refusalIsReadable},
		{"an invalid Pod's event says why", invalidIsReadable},
		{"six Pods on two equal nodes go 3/3", spreadEvenly},
		{"where 3 nodes fit, the Pod lands at its first try", firstTry},
		{"a relabelled node becomes usable", relabelled},
		{"a minimum that no full node meets evicts none", evictsNoneBelowMinimum},
		{"an invalid Pod of high priority evicts none", evictsNoneForInvalid},
		{"a minimum that one full node meets evicts there", evictsThere},
	}},
	{name: "plugin", plugin: true, contents: []scenario{
		{"Pods land where the memory suffices", landsRight},
		{"a refused Pod's event says why", refusalIsReadable},
		{"an invalid Pod's event says why", invalidIsReadable},
		{"six Pods on two equal nodes go 3/3", spreadEvenly},
		{"a relabelled node becomes usable", relabelled},
		{"a minimum that no full node meets evicts none", evictsNoneBelowMinimum},
		{"an invalid Pod of high priority evicts none", evictsNoneForInvalid},
		{"a minimum that one full node meets evicts there", evictsThere},
	}},
	lastGroup,
}

// lastGroup needs no scheduler, and leaves the nodes with other labels.
var lastGroup = group{name: "cache", cached: true, alone: true, contents: []scenario{
	{"a changed label changes the verdict within a second", relabelTime},
	{"an API server that restarts fails no request", recovery},
}}

// runGroups plays all groups. The error is about starting.
func runGroups(ctx context.Context, s *stage) (right bool, err error) {
	right = true
	for _, g := range groups {
		played, err := playGroup(ctx, s, g)
		if err != nil {
			return false, err
		}
		right = right && played
	}
	return right, nil
}

// playGroup plays what -only lets through and prints a line for each.
func playGroup(ctx context.Context, s *stage, g group) (right bool, err error) {
	var chosen []scenario
	for _, each := range g.contents {
		each.name = g.name + ": " + each.name
		if s.options.only.MatchString(each.name) {
			chosen = append(chosen, each)
		}
	}
	if len(chosen) == 0 {
		return true, nil
	}
	if g.plugin && s.options.plugin == "" {
		progress("skipped: %s: no gpu-scheduler in %s", g.name, s.options.release)
		return true, nil
	}
	if err := g.start(ctx, s); err != nil {
		return false, err
	}
	defer s.rest()
	right = true
	for _, each := range chosen {
		right = s.play(ctx, each) && right
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return right, nil
}

// start starts the extender and the scheduler of the group.
func (g group) start(ctx context.Context, s *stage) error {
	s.rest()
	if g.plugin {
		return s.schedule(ctx, g.name, withPlugin(s))
	}
	if err := s.nodesieve(ctx, g.name, g.cached, g.flags...); err != nil {
		return err
	}
	if g.alone {
		return nil
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
