// e2e runs nodesieve with a real control plane on loopback: etcd, kube-apiserver and kube-scheduler as they
// are. ./dev e2e builds what it needs and calls it; README.md tells how it is made.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
)

// options are the command line's.
type options struct {
	binaries, release string
	floor             string
	large             bool
	only              *regexp.Regexp
	keep              bool
	nodes, rounds     int
	pods              int
	plugin, reference string
	referencePlugin   string
}

func main() {
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	right, err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
	}
	if err != nil || !right {
		os.Exit(1)
	}
}

func parse(arguments []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("e2e", flag.ContinueOnError)
	flags.StringVar(&o.binaries, "binaries", "", "folder with etcd, kube-apiserver and kube-scheduler")
	flags.StringVar(&o.floor, "floor", "", "large: cmd/floor, built")
	flags.StringVar(&o.release, "release", "build/release", "folder with nodesieve")
	flags.BoolVar(&o.large, "large", false, "5,000 nodes, and a table of reach and measured")
	only := flags.String("only", "", "run only the scenarios that match this regular expression")
	flags.BoolVar(&o.keep, "keep", false, "keep the folder with logs and configurations")
	flags.IntVar(&o.nodes, "nodes", 0, "how many nodes [200, large: 5000]")
	flags.IntVar(&o.rounds, "rounds", 3, "large: how often each way of scheduling is measured")
	flags.IntVar(&o.pods, "pods", 300, "large: Pods of a measurement")
	flags.StringVar(&o.plugin, "plugin", "",
		"a kube-scheduler with the plugin GPUScheduler [gpu-scheduler in -release, if there]")
	flags.StringVar(&o.referencePlugin, "reference-plugin", "", "large: a kube-scheduler with the document's plugin")
	flags.StringVar(&o.reference, "reference", "", "large: the document's extender, which listens on $ADDR")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is not a flag; -help lists them", flags.Arg(0))
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-only: %w", err)
	}
	if o.nodes == 0 {
		o.nodes = 200
		if o.large {
			o.nodes = 5000
		}
	}
	if o.nodes < 100 {
		return o, fmt.Errorf("-nodes: %d, but the scenarios need 100 at least", o.nodes)
	}
	if built := filepath.Join(o.release, "gpu-scheduler"); o.plugin == "" {
		if _, err := os.Stat(built); err == nil {
			o.plugin = built
		}
	}
	return o, nil
}

// run tells whether every scenario went right; the error is about what they need.
func run(ctx context.Context, o options) (right bool, err error) {
	folder, err := os.MkdirTemp("", "nodesieve-e2e-")
	if err != nil {
		return false, err
	}
	defer func() {
		if o.keep {
			fmt.Println("logs:", folder)
		} else {
			os.RemoveAll(folder)
		}
	}()
	s, err := newStage(ctx, folder, o)
	defer s.close()
	if err != nil {
		return false, interrupted(ctx, err)
	}
	if o.large {
		right, err = measureAll(ctx, s)
	} else {
		right, err = runGroups(ctx, s)
	}
	return right, interrupted(ctx, err)
}

// interrupted puts Ctrl-C in the place of the errors that follow from it.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}
