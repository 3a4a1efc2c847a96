/**
 * Counters that this process decides alone and reports to the shared store at intervals. It knows counters, checks and
 * stores; requests, matching and verdicts may not come in.
 */
@NullMarked
package dev.weir.internal.report;

import org.jspecify.annotations.NullMarked;
