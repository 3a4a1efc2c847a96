/**
 * A filter for servlet containers (Jakarta Servlet 6.0 and later): shows their calls to an {@link dev.weir.http.HttpLimiter},
 * and ends each call exactly once. What a decision means stands in {@code dev.weir.http}.
 */
@NullMarked
package dev.weir.servlet;

import org.jspecify.annotations.NullMarked;
