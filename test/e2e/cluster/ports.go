package cluster

import (
	"errors"
	"net"
)

// freePorts gives ports on 127.0.0.1 that nobody listens on now. Another process may take one before its
// user does: see withFreePorts.
func freePorts(count int) ([]int, error) {
	var ports []int
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// withFreePorts calls start with free ports, and again with others while it returns errPortTaken.
func withFreePorts(count int, start func(ports []int) error) error {
	const attempts = 5
	var last error
	for range attempts {
		ports, err := freePorts(count)
		if err != nil {
			return err
		}
		if last = start(ports); !errors.Is(last, errPortTaken) {
			return last
		}
	}
	return last
}
