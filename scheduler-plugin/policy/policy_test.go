package policy

import (
	"strings"
	"testing"
)

func newPolicy(t *testing.T, change func(*Config)) *Policy {
	t.Helper()
	config := DefaultConfig()
	change(&config)
	p, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGoesByItsConfig(t *testing.T) {
	pod := Requirement{HasGPU: true, MinMemoryMiB: 1000}
	p := newPolicy(t, func(c *Config) { c.ScoreCeilingMiB = 2000; c.PreferLeast = true })
	if seen := p.Decide(pod, ReadMemory("1500", true)); seen != (Decision{Fits, 25}) {
		t.Errorf("got %v", seen)
	}
	p = newPolicy(t, func(c *Config) { c.ScoreCeilingMiB = 2000 })
	if seen := p.Decide(pod, ReadMemory("1500", true)); seen != (Decision{Fits, 75}) {
		t.Errorf("got %v", seen)
	}
}

func TestRefusesAConfigWithTheReason(t *testing.T) {
	for expected, change := range map[string]func(*Config){
		"score ceiling: expected 1 to 1048576 MiB, got -1":    func(c *Config) { c.ScoreCeilingMiB = -1 },
		"node memory labels: expected at least one, got none": func(c *Config) { c.NodeMemoryLabels = nil },
		"node memory label: expected a name, got none":        func(c *Config) { c.NodeMemoryLabels = []string{"a", ""} },
	} {
		config := DefaultConfig()
		change(&config)
		if _, err := New(config); err == nil || err.Error() != expected {
			t.Errorf("expected %q, got %v", expected, err)
		}
	}
}

func TestTellsAnEmptyTextFromNone(t *testing.T) {
	if r, err := ReadRequirement(1, "", false); err != nil || r != (Requirement{HasGPU: true}) {
		t.Errorf("no annotation: got %v, %v", r, err)
	}
	if _, err := ReadRequirement(1, "", true); err == nil {
		t.Error("an empty annotation is taken for none")
	}
}

// A Go string has no NUL behind it, and may be a part of a longer one.
func TestReadsATextToItsLength(t *testing.T) {
	text := "40960999"
	r, err := ReadRequirement(1, text[:5], true)
	if err != nil || r.MinMemoryMiB != 40960 {
		t.Fatalf("got %v, %v", r, err)
	}
	for label, expected := range map[string]int32{
		text[:4]:                             4096,
		strings.Repeat("0", 1000) + text[:5]: 40960,
		"4096\x000":                          0,
	} {
		if seen := ReadMemory(label, true); seen != expected {
			t.Errorf("%q: expected %d, got %d", label, expected, seen)
		}
	}
}

func TestHasATextForEachVerdictButFits(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range Verdicts {
		seen[v.Text()] = true
		if (v.Text() == "") != (v == Fits) {
			t.Errorf("verdict %d: %q", v, v.Text())
		}
	}
	if len(seen) != len(Verdicts) {
		t.Errorf("texts repeat: %v", seen)
	}
}
