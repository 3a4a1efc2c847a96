/**
 * Maps a decision to the answer of Envoy's rate limit service, for both the protobuf and the JSON writer. Bytes and
 * transports do not belong here.
 */
@NullMarked
package dev.weir.server.rls;

import org.jspecify.annotations.NullMarked;
