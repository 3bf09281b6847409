// Package policy is nodesieve's GPU-memory policy, which is written in C++: every rule, text and default
// of it lives there, behind the C header include/nodesieve/policy.h. Here is what Go needs to call it.
package policy

/*
#cgo CFLAGS: -I${SRCDIR}/../../include
#cgo LDFLAGS: ${SRCDIR}/../../build/release/libnodesieve_policy.a -l:libstdc++.a -lm -static-libgcc

#cgo noescape nodesieve_requirement_read
#cgo nocallback nodesieve_requirement_read
#cgo noescape nodesieve_memory_read
#cgo nocallback nodesieve_memory_read
#cgo nocallback nodesieve_policy_decide

#include <stdlib.h>
#include <nodesieve/policy.h>

// Written by ./dev. It changes with the library, which go's cache of results does not look at.
#if __has_include("library_stamp.h")
#include "library_stamp.h"
#endif
*/
import "C"

import (
	"errors"
	"unsafe"
)

// Config is what the policy goes by. DefaultConfig has the values to start from.
type Config struct {
	MinMemoryAnnotation string
	// At least one; the first of them that a node carries decides.
	NodeMemoryLabels []string
	GPUResource      string
	// The memory that scores 100, in MiB.
	ScoreCeilingMiB int32
	// Of the nodes that fit the one with the least memory is the best, so that large GPUs stay free.
	PreferLeast bool
}

// DefaultConfig returns the policy's defaults.
func DefaultConfig() Config {
	var c C.nodesieve_policy_config
	C.nodesieve_policy_config_init(&c)
	config := Config{
		MinMemoryAnnotation: C.GoString(c.min_memory_annotation),
		GPUResource:         C.GoString(c.gpu_resource),
		ScoreCeilingMiB:     int32(c.score_ceiling_mib),
		PreferLeast:         c.prefer == C.NODESIEVE_PREFER_LEAST,
	}
	for _, label := range unsafe.Slice(c.node_memory_labels, c.node_memory_label_count) {
		config.NodeMemoryLabels = append(config.NodeMemoryLabels, C.GoString(label))
	}
	return config
}

// Policy decides by one Config. It does not change, so any number of goroutines may use it. It is never
// freed: a scheduler makes one for each of its profiles and keeps it.
type Policy struct {
	handle *C.nodesieve_policy
}

// New makes a policy. Its error tells what was seen and what was expected.
func New(config Config) (*Policy, error) {
	// C may keep no pointer to Go's memory within a struct that it is given: it gets copies.
	var copies []unsafe.Pointer
	defer func() {
		for _, text := range copies {
			C.free(text)
		}
	}()
	copied := func(text string) *C.char {
		c := C.CString(text)
		copies = append(copies, unsafe.Pointer(c))
		return c
	}

	c := C.nodesieve_policy_config{
		min_memory_annotation:   copied(config.MinMemoryAnnotation),
		node_memory_label_count: C.size_t(len(config.NodeMemoryLabels)),
		gpu_resource:            copied(config.GPUResource),
		score_ceiling_mib:       C.int32_t(config.ScoreCeilingMiB),
		prefer:                  C.NODESIEVE_PREFER_MOST,
	}
	if config.PreferLeast {
		c.prefer = C.NODESIEVE_PREFER_LEAST
	}
	if n := len(config.NodeMemoryLabels); n > 0 {
		array := C.calloc(C.size_t(n), C.size_t(unsafe.Sizeof((*C.char)(nil))))
		copies = append(copies, array)
		c.node_memory_labels = (**C.char)(array)
		labels := unsafe.Slice(c.node_memory_labels, n)
		for i, label := range config.NodeMemoryLabels {
			labels[i] = copied(label)
		}
	}
	var message [256]C.char
	handle := C.nodesieve_policy_create(&c, &message[0], C.size_t(len(message)))
	if handle == nil {
		return nil, errors.New(C.GoString(&message[0]))
	}
	return &Policy{handle}, nil
}

// Requirement is what a Pod asks of a node. Pods with equal requirements are treated alike on every node.
type Requirement struct {
	HasGPU       bool
	MinMemoryMiB int32 // 0: no minimum
}

// ErrMissingPod is for callers that were given no Pod.
var ErrMissingPod = podError(C.NODESIEVE_MISSING_POD)

// ReadRequirement reads a Pod: the sign of its effective request for the GPU resource (0 where it has
// none), and its minimum-memory annotation, if it has one. The error is the sentence for users.
func ReadRequirement(gpuSign int, annotation string, annotated bool) (Requirement, error) {
	text, size := cText(annotation, annotated)
	var r C.nodesieve_requirement
	if code := C.nodesieve_requirement_read(C.int(gpuSign), text, size, &r); code != C.NODESIEVE_POD_OK {
		return Requirement{}, podError(code)
	}
	return Requirement{HasGPU: r.has_gpu != 0, MinMemoryMiB: int32(r.min_memory_mib)}, nil
}

// Filters is false for a Pod that every node fits, so that there is no need to ask.
func (r Requirement) Filters() bool { return bool(C.nodesieve_requirement_filters(r.c())) }

// Scores is false for a Pod for which every node scores 0.
func (r Requirement) Scores() bool { return bool(C.nodesieve_requirement_scores(r.c())) }

func (r Requirement) c() C.nodesieve_requirement {
	c := C.nodesieve_requirement{min_memory_mib: C.int32_t(r.MinMemoryMiB)}
	if r.HasGPU {
		c.has_gpu = 1
	}
	return c
}

// Verdict is what the policy says of one node.
type Verdict int32

// Fits is the verdict of a node that the Pod may use.
const Fits Verdict = C.NODESIEVE_FITS

// Verdicts are all verdicts.
var Verdicts = [...]Verdict{Fits, C.NODESIEVE_INVALID_LABEL, C.NODESIEVE_BELOW_MINIMUM}

// Text is why a node does not fit, for users; empty for Fits.
func (v Verdict) Text() string {
	return C.GoString(C.nodesieve_verdict_text(C.int32_t(v)))
}

// Decision is the verdict on a node and its score, 0 to 100 whatever the verdict.
type Decision struct {
	Verdict Verdict
	Score   int32
}

// ReadMemory returns the memory that a node's label states, in MiB; 0 for none and for an invalid one. label
// is the value of the first of the config's labels that the node carries, if it carries one.
func ReadMemory(label string, labelled bool) int32 {
	text, size := cText(label, labelled)
	return int32(C.nodesieve_memory_read(text, size))
}

// Decide judges and scores a node, whose memory ReadMemory gave, for a Pod.
func (p *Policy) Decide(r Requirement, memoryMiB int32) Decision {
	d := C.nodesieve_policy_decide(p.handle, r.c(), C.int32_t(memoryMiB))
	return Decision{Verdict(d.verdict), int32(d.score)}
}

func podError(code C.nodesieve_pod_error) error {
	return errors.New(C.GoString(C.nodesieve_pod_error_text(C.int32_t(code))))
}

// cText is a view of a text, without a copy, valid during a call; NULL where there is none.
func cText(text string, exists bool) (*C.char, C.size_t) {
	if !exists {
		return nil, 0
	}
	if text == "" {
		return &anywhere, 0 // StringData of an empty string may be NULL
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text))
}

var anywhere C.char
