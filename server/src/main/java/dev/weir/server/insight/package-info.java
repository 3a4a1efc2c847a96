/**
 * Answers the questions of the dashboard: what is going on now, who is denied, since when, and how close callers are to
 * their limits. It puts together what history, top keys, counters and the fleet know; it changes nothing.
 */
@NullMarked
package dev.weir.server.insight;

import org.jspecify.annotations.NullMarked;
