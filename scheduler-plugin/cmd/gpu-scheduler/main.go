// gpu-scheduler is kube-scheduler with one more plugin, GPUScheduler, which a KubeSchedulerConfiguration
// enables.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"example.com/nodesieve/scheduler-plugin/gpuscheduler"
)

func main() {
	// The command registers its own plugins, and refuses to register one of them again.
	command := app.NewSchedulerCommand(app.WithPlugin(gpuscheduler.Name, gpuscheduler.New))
	os.Exit(cli.Run(command))
}
