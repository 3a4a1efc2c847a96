/**
 * Requests that wait: for their turn under {@code over: queue}, or for their denial under {@code over: tarpit}. This is
 * above the limiter, which knows nothing of it.
 */
@NullMarked
package dev.weir.internal.queue;

import org.jspecify.annotations.NullMarked;
