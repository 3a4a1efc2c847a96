/**
 * Keeps how many requests and checks were allowed and denied over time, in all and per rule: by the second, by ten seconds
 * and by the minute, within budgets of memory and disk. It reads the counts of the metrics; nothing here is on the path of
 * a decision.
 */
@NullMarked
package dev.weir.server.history;

import org.jspecify.annotations.NullMarked;
