/**
 * From a decision to the answer of Envoy's rate limit service, for whoever writes it as protobuf or as JSON. Neither bytes nor
 * transports come in.
 */
@NullMarked
package dev.weir.server.rls;

import org.jspecify.annotations.NullMarked;
