package main

import (
	"fmt"
	"runtime"
	"slices"
)

// table is reach and measured, as ./dev bench prints it.
type table struct {
	rows   []string
	missed bool
}

// fact is a row without a reach.
func (t *table) fact(what, format string, measured float64) {
	t.rows = append(t.rows, fmt.Sprintf("%-62s %-14s %s", what, "", fmt.Sprintf(format, measured)))
}

func (t *table) atMost(what string, reach, measured float64) {
	t.row(what, fmt.Sprintf("at most %.2f", reach), measured, measured <= reach)
}

func (t *table) atLeast(what string, reach, measured float64) {
	t.row(what, fmt.Sprintf("at least %.2f", reach), measured, measured >= reach)
}

func (t *table) under(what string, reach, measured float64) {
	t.row(what, fmt.Sprintf("under %.2f", reach), measured, measured < reach)
}

func (t *table) row(what, reach string, measured float64, reached bool) {
	verdict := "reached"
	if !reached {
		verdict, t.missed = "missed", true
	}
	t.rows = append(t.rows, fmt.Sprintf("%-62s %-14s %-10.2f %s", what, reach, measured, verdict))
}

func (t *table) reached() bool { return !t.missed }

func (t *table) print(o options) {
	fmt.Printf("\n%-62s %-14s %s\n", "what", "reach", "measured")
	for _, row := range t.rows {
		fmt.Println(row)
	}
	fmt.Printf("\n%d nodes, percentageOfNodesToScore 100, %d Pods, medians of %d rounds in turn; %d cores\n",
		o.nodes, o.pods, o.rounds, runtime.NumCPU())
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
