/**
 * A load generator for rate limit services: requests over gRPC and REST at a rate or as fast as a service answers, and their
 * latencies. Nothing of a Weir server may come in: it drives any service.
 */
@NullMarked
package dev.weir.server.bench;

import org.jspecify.annotations.NullMarked;
