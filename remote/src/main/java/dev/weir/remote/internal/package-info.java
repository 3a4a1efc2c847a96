/**
 * Asks a Weir server: the messages of Envoy's protocol with Weir's details, the calls in flight and their deadlines, the
 * breaker, and the decisions made while the server does not answer. gRPC types stay in {@code GrpcChannel}.
 */
@NullMarked
package dev.weir.remote.internal;

import org.jspecify.annotations.NullMarked;
