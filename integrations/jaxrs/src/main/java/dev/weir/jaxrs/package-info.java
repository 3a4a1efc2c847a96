/**
 * A filter for JAX-RS applications (Jakarta RESTful Web Services 3.1 and later): shows their calls to an
 * {@link dev.weir.http.HttpLimiter}, and ends each call exactly once. What a decision means stands in
 * {@code dev.weir.http}.
 */
@NullMarked
package dev.weir.jaxrs;

import org.jspecify.annotations.NullMarked;
