// floor is an extender without a policy, to find what kube-scheduler itself costs with names: it looks up
// answers that were made before.
//
// It gives the answers that nodesieve would, so that the same work is left for kube-scheduler behind them.
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	extender "k8s.io/kube-scheduler/extender/v1"
)

// answers by node: the score of a node that passes. Any other is refused with the reason.
type answers struct {
	scores  map[string]int64
	reason  string
	ranking []byte // the reply to prioritize
}

func main() {
	certFile := flag.String("tls-cert", "", "server certificate")
	keyFile := flag.String("tls-key", "", "its key")
	caFile := flag.String("client-ca", "", "CA of clients")
	answersFile := flag.String("answers", "", "a reason in the first line; then a node that passes and its score in each")
	flag.Parse()
	a, err := readAnswers(*answersFile)
	if err != nil {
		log.Fatal(err)
	}
	ca, err := os.ReadFile(*caFile)
	if err != nil {
		log.Fatal(err)
	}
	clients := x509.NewCertPool()
	if !clients.AppendCertsFromPEM(ca) {
		log.Fatalf("%s: no certificate in it", *caFile)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr())
	http.HandleFunc("/filter", a.filter)
	http.HandleFunc("/prioritize", a.prioritize)
	server := http.Server{
		TLSConfig:    &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients, MinVersion: tls.VersionTLS12},
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // HTTP/1.1, as nodesieve speaks it
	}
	log.Fatal(server.ServeTLS(listener, *certFile, *keyFile))
}

func readAnswers(name string) (*answers, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	a := &answers{scores: map[string]int64{}}
	lines := bufio.NewScanner(file)
	if lines.Scan() {
		a.reason = lines.Text()
	}
	ranking := extender.HostPriorityList{}
	for lines.Scan() {
		var each extender.HostPriority
		if _, err := fmt.Sscan(lines.Text(), &each.Host, &each.Score); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, lines.Text(), err)
		}
		a.scores[each.Host] = each.Score
		ranking = append(ranking, each)
	}
	if a.ranking, err = json.Marshal(ranking); err != nil {
		return nil, err
	}
	return a, lines.Err()
}

func (a *answers) filter(w http.ResponseWriter, r *http.Request) {
	var request extender.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || request.NodeNames == nil {
		http.Error(w, "NodeNames expected", http.StatusBadRequest)
		return
	}
	passing, failed := []string{}, extender.FailedNodesMap{}
	for _, name := range *request.NodeNames {
		if _, passes := a.scores[name]; passes {
			passing = append(passing, name)
		} else {
			failed[name] = a.reason
		}
	}
	_ = json.NewEncoder(w).Encode(extender.ExtenderFilterResult{NodeNames: &passing, FailedAndUnresolvableNodes: failed})
}

func (a *answers) prioritize(w http.ResponseWriter, r *http.Request) {
	_, _ = w.Write(a.ranking)
}
