// Package cluster starts and ends what a test needs on loopback: etcd, kube-apiserver, kube-scheduler and
// the extender, each as a process of its own with its log in a file.
package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a child process. Stop and Kill may be called more than once; a Process belongs to one goroutine,
// but for Ended and Tail.
type Process struct {
	Name    string
	LogFile string
	command *exec.Cmd
	ended   chan struct{}
}

// startProcess starts a binary with its output in logFile, which is appended to. The child gets a process
// group of its own, so that Ctrl-C reaches only this process, and is killed by the kernel if this one dies.
func startProcess(logFile, binary string, environment []string, arguments ...string) (*Process, error) {
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command(binary, arguments...)
	command.Env = append(os.Environ(), environment...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", binary, err)
	}
	name := binary[strings.LastIndexByte(binary, '/')+1:]
	p := &Process{Name: name, LogFile: logFile, command: command, ended: make(chan struct{})}
	go func() {
		_ = command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// PID of the child.
func (p *Process) PID() int { return p.command.Process.Pid }

// Ended tells whether the child is gone.
func (p *Process) Ended() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Stop asks the child to end with SIGTERM, and kills it when it has not within ten seconds.
func (p *Process) Stop() {
	if p == nil {
		return
	}
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		p.Kill()
	}
}

// Kill ends the child at once.
func (p *Process) Kill() {
	if p == nil {
		return
	}
	_ = p.command.Process.Kill()
	<-p.ended
}

// Tail gives the last lines of the log.
func (p *Process) Tail(lines int) string {
	text, err := os.ReadFile(p.LogFile)
	if err != nil {
		return err.Error()
	}
	all := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	return string(bytes.Join(all[max(0, len(all)-lines):], []byte("\n")))
}

// ResidentMiB is the child's resident memory.
func (p *Process) ResidentMiB() float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			kib, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kib / 1024
		}
	}
	return 0
}

// endedEarly is what waiting for a process says when it ended instead.
func (p *Process) endedEarly() error {
	return fmt.Errorf("%s ended instead of becoming ready; its log (%s) ends with:\n%s", p.Name, p.LogFile, p.Tail(15))
}

var errPortTaken = errors.New("a port that was free a moment ago is taken")

// portTaken tells whether a process ended because somebody else took its port first.
func (p *Process) portTaken() bool {
	return p.Ended() && strings.Contains(p.Tail(40), "address already in use")
}
