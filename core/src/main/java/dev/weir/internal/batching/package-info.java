/**
 * Batches the asks that wait for one connection to a shared store, and keeps their deadlines, retries and order. It
 * knows checks, calls and deadlines; the wire format, the socket and the clock belong to the transport and the loop.
 */
@NullMarked
package dev.weir.internal.batching;

import org.jspecify.annotations.NullMarked;
