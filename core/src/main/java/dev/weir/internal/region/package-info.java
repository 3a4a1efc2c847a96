/**
 * Limits that regions share without a home: each region counts its own hits in its own store, and the processes of the
 * others read that count at intervals. It knows counters, checks and stores; requests, matching and verdicts may not
 * come in.
 */
@NullMarked
package dev.weir.internal.region;

import org.jspecify.annotations.NullMarked;
