package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	scheduling "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/nodesieve/e2e/cluster"
	"example.com/nodesieve/e2e/objects"
)

// highPriority is the name of the PriorityClass of Pods that may evict others.
const highPriority = "high"

// stage is a control plane with nodes, and the extender and the scheduler that play on it at the moment.
type stage struct {
	options      options
	folder       string
	certificates cluster.Certificates
	plane        *cluster.ControlPlane
	client       *kubernetes.Clientset
	nodes        *objects.Nodes
	names        []string // of all nodes

	extender  *cluster.Extender
	cached    bool // it watches nodes
	scheduler *cluster.Process
}

// newStage starts the control plane and makes the nodes. close must be called also behind an error.
func newStage(ctx context.Context, folder string, o options) (*stage, error) {
	s := &stage{options: o, folder: folder}
	var err error
	if s.certificates, err = cluster.MakeCertificates(filepath.Join(folder, "tls")); err != nil {
		return s, err
	}
	started := time.Now()
	if s.plane, err = cluster.StartControlPlane(ctx, folder, o.binaries, s.certificates); err != nil {
		return s, err
	}
	s.client = s.plane.Client
	progress("control plane ready after %.1f s", time.Since(started).Seconds())
	if s.nodes, err = objects.ReadNodes(s.client, "test/data/nodes/node-aks-gpu-2.json"); err != nil {
		return s, err
	}
	started = time.Now()
	if err := s.nodes.Create(ctx, o.nodes); err != nil {
		return s, err
	}
	for i := range o.nodes {
		s.names = append(s.names, objects.NodeName(i))
	}
	progress("%d nodes made in %.1f s", o.nodes, time.Since(started).Seconds())
	return s, s.createPolicy(ctx)
}

// createPolicy makes what is not a Node or a Pod: the watcher's right to read nodes and nothing else, and a
// priority.
func (s *stage) createPolicy(ctx context.Context) error {
	role := &rbac.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "nodesieve"},
		Rules: []rbac.PolicyRule{{
			APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list", "watch"},
		}},
	}
	binding := &rbac.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "nodesieve"},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbac.Subject{{APIGroup: rbac.GroupName, Kind: rbac.UserKind, Name: cluster.Watcher}},
	}
	high := &scheduling.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: highPriority}, Value: 1000}
	if _, err := s.client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := s.client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := s.client.SchedulingV1().PriorityClasses().Create(ctx, high, metav1.CreateOptions{}); err != nil {
		return err
	}
	return cluster.Until(ctx, time.Minute, "the namespace default is there", func(ctx context.Context) (bool, string) {
		_, err := s.client.CoreV1().Namespaces().Get(ctx, v1.NamespaceDefault, metav1.GetOptions{})
		return err == nil, fmt.Sprint(err)
	})
}

// nodesieve starts the extender in the place of the one before.
func (s *stage) nodesieve(ctx context.Context, label string, cached bool, flags ...string) error {
	s.extender.Stop()
	s.cached = cached
	if cached {
		flags = append(flags, "--node-cache=watch", "--kubeconfig="+s.plane.Watch)
	}
	var err error
	binary := filepath.Join(s.options.release, "nodesieve")
	s.extender, err = cluster.StartNodesieve(ctx, s.launch(binary, label), flags...)
	return err
}

// launch is how an extender is started, with a log named after it and the label.
func (s *stage) launch(binary, label string) cluster.Launch {
	log := s.file(filepath.Base(binary) + "-" + label + ".log")
	return cluster.Launch{Binary: binary, LogFile: log, Certificates: s.certificates}
}

// schedule starts a scheduler in the place of the one before.
func (s *stage) schedule(ctx context.Context, label string, config cluster.SchedulerConfig) error {
	s.scheduler.Stop()
	var err error
	s.scheduler, err = s.plane.StartScheduler(ctx, label, config)
	return err
}

// rest ends the extender and the scheduler.
func (s *stage) rest() {
	s.scheduler.Stop()
	s.extender.Stop()
	s.scheduler, s.extender, s.cached = nil, nil, false
}

func (s *stage) close() {
	s.rest()
	if s.plane != nil {
		s.plane.Stop()
	}
}

func (s *stage) file(name string) string { return filepath.Join(s.folder, name) }

// logs gives the ends of the logs that tell most about a failure: the extender's and the scheduler's, and those
// of the control plane if it ended.
func (s *stage) logs() string {
	var out strings.Builder
	show := func(p *cluster.Process, state string) {
		fmt.Fprintf(&out, "--- the log of %s (%s) ends with:\n%s\n", p.Name, state, p.Tail(12))
	}
	for _, p := range s.plane.Processes() {
		if p.Ended() {
			show(p, "ended")
		}
	}
	mine := []*cluster.Process{s.scheduler}
	if s.extender != nil {
		mine = append(mine, s.extender.Process)
	}
	for _, p := range mine {
		if p != nil && p.Ended() {
			show(p, "ended")
		} else if p != nil {
			show(p, "running")
		}
	}
	return out.String()
}

func progress(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "e2e: "+format+"\n", values...)
}
