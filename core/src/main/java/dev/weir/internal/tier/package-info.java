/**
 * The local tier: denials, leases and reports of one process, under one memory bound and one periodic tick. It knows
 * counters, checks and stores; requests, matching and verdicts may not come in.
 */
@NullMarked
package dev.weir.internal.tier;

import org.jspecify.annotations.NullMarked;
