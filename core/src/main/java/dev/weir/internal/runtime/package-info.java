/**
 * Threads, backoff, digests, signatures, stamp tables and shares of the heap that every module uses. It depends on the JDK alone: rules,
 * limits and stores do not belong here.
 */
@NullMarked
package dev.weir.internal.runtime;

import org.jspecify.annotations.NullMarked;
