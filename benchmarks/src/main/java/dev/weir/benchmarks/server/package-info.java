/**
 * Benchmarks of a server in its own process under gRPC load, beside a constant Vert.x handler, and the processes they
 * start. Redis does not come in.
 */
@NullMarked
package dev.weir.benchmarks.server;

import org.jspecify.annotations.NullMarked;
