/**
 * The gRPC lane: HTTP/2 connections, their streams, gRPC's messages and the calls that Weir answers, on event loops that are
 * given from outside. Rules, counters and other protocols do not come in, and nothing here waits.
 */
@NullMarked
package dev.weir.server.grpc;

import org.jspecify.annotations.NullMarked;
