/**
 * Rules from a server of xDS, as envoyproxy/ratelimit takes them: state of the world, aggregated. How rules are loaded and kept
 * does not come in.
 */
@NullMarked
package dev.weir.control.xds;

import org.jspecify.annotations.NullMarked;
