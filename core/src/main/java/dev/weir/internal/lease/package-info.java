/**
 * Leases: hits taken from a shared counter before they are spent, and levels of permits, so that most decisions need no
 * network. It knows counters, checks and stores; requests, matching and verdicts may not come in.
 */
@NullMarked
package dev.weir.internal.lease;

import org.jspecify.annotations.NullMarked;
