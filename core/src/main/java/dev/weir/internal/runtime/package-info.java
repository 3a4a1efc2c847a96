/**
 * Threads, backoff, digests and stamp tables that every module uses, each set up in one place. Only the JDK may come in: no rule,
 * limit or store.
 */
@NullMarked
package dev.weir.internal.runtime;

import org.jspecify.annotations.NullMarked;
