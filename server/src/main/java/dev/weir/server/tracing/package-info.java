/**
 * Decisions on requests that belong to a trace: the header {@code traceparent}, and the interface of everything that is
 * told of such decisions. Exporters and their libraries do not belong here.
 */
@NullMarked
package dev.weir.server.tracing;

import org.jspecify.annotations.NullMarked;
