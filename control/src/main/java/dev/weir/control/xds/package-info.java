/**
 * Rules from an xDS server, as envoyproxy/ratelimit receives them: state of the world over an aggregated stream.
 * Loading rules and keeping copies belong in {@code source}.
 */
@NullMarked
package dev.weir.control.xds;

import org.jspecify.annotations.NullMarked;
