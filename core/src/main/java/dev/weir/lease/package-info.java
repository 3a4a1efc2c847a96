/**
 * Leases: hits that are taken from a shared counter before they are spent, so that most decisions touch no network and none exceeds
 * the limit. It knows counters, checks and stores; requests, matching and verdicts do not come in.
 */
@NullMarked
package dev.weir.lease;

import org.jspecify.annotations.NullMarked;
