/**
 * The gRPC client of the rule sources: a connection with TLS, and a bidirectional stream that a thread reads by
 * blocking. The messages of etcd and xDS do not come in, and neither do rules.
 */
@NullMarked
package dev.weir.control.grpc;

import org.jspecify.annotations.NullMarked;
