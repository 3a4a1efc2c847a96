/**
 * What the server counts and how Prometheus reads it. Only rules make time series, never callers; nothing in here decides, and
 * the counting itself takes no lock and shares no cache line.
 */
@NullMarked
package dev.weir.server.metrics;

import org.jspecify.annotations.NullMarked;
