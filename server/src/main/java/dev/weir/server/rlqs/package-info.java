/**
 * Envoy's rate limit quota service: Envoys report the requests of each bucket, and get hits that were paid from the
 * shared counters before. HTTP/2 and the store do not belong here.
 */
@NullMarked
package dev.weir.server.rlqs;

import org.jspecify.annotations.NullMarked;
