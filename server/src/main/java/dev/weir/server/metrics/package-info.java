/**
 * Counts decisions and connections, and writes them in Prometheus's text format. Only rules have time series, never
 * callers; nothing here decides, takes a lock or shares a cache line while counting.
 */
@NullMarked
package dev.weir.server.metrics;

import org.jspecify.annotations.NullMarked;
