/**
 * Threads, waits and digests as every module needs them, each set up in one place. It knows the JDK alone: nothing here has heard
 * of a rule, a limit or a store.
 */
@NullMarked
package dev.weir.runtime;

import org.jspecify.annotations.NullMarked;
