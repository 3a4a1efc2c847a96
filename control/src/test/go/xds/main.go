// A control plane that serves rate limits as Envoy Gateway does: go-control-plane's own server and snapshot cache.
//
// It prints its port. Then each line of its input is a snapshot: "VERSION REQUESTS", for one domain with one rule of that many
// requests a minute; with REQUESTS -1, a rule with a unit that there is not. It prints what the client says to each: "ack VERSION"
// or "nack MESSAGE".
//
// With -gateway the rules have the shape that Envoy Gateway gives them: a route, and below it a rule for each value of a header.
// With -cert, -key and -ca it speaks TLS and asks its clients for a certificate.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"strings"

	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/ratelimit/config/ratelimit/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

var (
	listen  = flag.String("listen", "127.0.0.1:0", "address to listen on")
	node    = flag.String("node", "default", "node id of the client")
	gateway = flag.Bool("gateway", false, "nested rules, as Envoy Gateway writes them")
	cert    = flag.String("cert", "", "certificate (PEM)")
	key     = flag.String("key", "", "private key (PEM)")
	ca      = flag.String("ca", "", "CA of the clients' certificates (PEM)")
)

func config(requests int) types.Resource {
	policy := &ratelimit.RateLimitPolicy{Unit: ratelimit.RateLimitUnit_MINUTE, RequestsPerUnit: uint32(requests), Name: "per key"}
	if requests < 0 {
		policy = &ratelimit.RateLimitPolicy{}
	}
	rules := []*ratelimit.RateLimitDescriptor{{Key: "key", Value: "value*", RateLimit: policy}}
	if *gateway {
		rules = []*ratelimit.RateLimitDescriptor{{
			Key:         "httproute/default/shop/rule/0/match/0/shop",
			Value:       "httproute/default/shop/rule/0/match/0/shop",
			Descriptors: []*ratelimit.RateLimitDescriptor{{Key: "rule-0-match-0", RateLimit: policy}},
		}}
	}
	return &ratelimit.RateLimitConfig{Name: "gateway", Domain: "gateway", Descriptors: rules}
}

// options are those of the gRPC server: none, or TLS with client certificates.
func options() []grpc.ServerOption {
	if *cert == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(*cert, *key)
	if err != nil {
		log.Fatal(err)
	}
	pem, err := os.ReadFile(*ca)
	if err != nil {
		log.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(pem)
	return []grpc.ServerOption{grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{pair},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    clients,
		MinVersion:   tls.VersionTLS13,
	}))}
}

func main() {
	flag.Parse()
	snapshots := cache.NewSnapshotCache(true, cache.IDHash{}, nil)
	said := server.CallbackFuncs{StreamRequestFunc: func(_ int64, request *discovery.DiscoveryRequest) error {
		if request.ErrorDetail != nil {
			fmt.Printf("nack %s\n", strings.ReplaceAll(request.ErrorDetail.Message, "\n", " "))
		} else if request.ResponseNonce != "" {
			fmt.Printf("ack %s\n", request.VersionInfo)
		}
		return nil
	}}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	plane := grpc.NewServer(options()...)
	discovery.RegisterAggregatedDiscoveryServiceServer(plane, server.NewServer(context.Background(), snapshots, said))
	go func() { log.Fatal(plane.Serve(listener)) }()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)

	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var version string
		var requests int
		if _, err := fmt.Sscan(lines.Text(), &version, &requests); err != nil {
			log.Fatal(err)
		}
		snapshot, err := cache.NewSnapshot(version, map[resource.Type][]types.Resource{
			resource.RateLimitConfigType: {config(requests)},
		})
		if err == nil {
			err = snapshots.SetSnapshot(context.Background(), *node, snapshot)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
