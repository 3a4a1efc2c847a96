/**
 * The local tier: what one process knows of shared counters without asking, under one bound and with one life. It puts denials,
 * leases and reports together; requests, matching and verdicts do not come in.
 */
@NullMarked
package dev.weir.tier;

import org.jspecify.annotations.NullMarked;
