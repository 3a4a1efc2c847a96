/**
 * Counts that are reported: decided here, told to the shared store every so often, and set right by what it answers. It knows
 * counters, checks and stores; requests, matching and verdicts do not come in.
 */
@NullMarked
package dev.weir.report;

import org.jspecify.annotations.NullMarked;
