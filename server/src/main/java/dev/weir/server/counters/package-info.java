/**
 * Finds the counters that a request would use, shows their state, resets them, and announces resets to servers that
 * share a Redis. Routes, permissions and JSON of the admin port do not belong here.
 */
@NullMarked
package dev.weir.server.counters;

import org.jspecify.annotations.NullMarked;
