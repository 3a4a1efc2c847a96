/**
 * Recorded traffic as a stream of requests in the order of time: files of the decision sink, access logs of Envoy and
 * nginx, and CSV, with the position of every line that cannot be read. Nothing here decides.
 */
@NullMarked
package dev.weir.server.replay.input;

import org.jspecify.annotations.NullMarked;
