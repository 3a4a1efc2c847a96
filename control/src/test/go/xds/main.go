// A control plane that serves rate limits as Envoy Gateway does: go-control-plane's own server and snapshot cache.
//
// It prints its port. Then each line of its input is a snapshot: "VERSION REQUESTS", for one domain with one rule of that many
// requests a minute; with REQUESTS -1, a rule with a unit that there is not. It prints what the client says to each: "ack VERSION"
// or "nack MESSAGE".
package main

import (
	"bufio"
	"context"
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
)

func config(requests int) types.Resource {
	policy := &ratelimit.RateLimitPolicy{Unit: ratelimit.RateLimitUnit_MINUTE, RequestsPerUnit: uint32(requests), Name: "per key"}
	if requests < 0 {
		policy = &ratelimit.RateLimitPolicy{}
	}
	return &ratelimit.RateLimitConfig{
		Name:   "gateway",
		Domain: "gateway",
		Descriptors: []*ratelimit.RateLimitDescriptor{
			{Key: "key", Value: "value*", RateLimit: policy},
		},
	}
}

func main() {
	snapshots := cache.NewSnapshotCache(true, cache.IDHash{}, nil)
	said := server.CallbackFuncs{StreamRequestFunc: func(_ int64, request *discovery.DiscoveryRequest) error {
		if request.ErrorDetail != nil {
			fmt.Printf("nack %s\n", strings.ReplaceAll(request.ErrorDetail.Message, "\n", " "))
		} else if request.ResponseNonce != "" {
			fmt.Printf("ack %s\n", request.VersionInfo)
		}
		return nil
	}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	plane := grpc.NewServer()
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
			err = snapshots.SetSnapshot(context.Background(), "default", snapshot)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
