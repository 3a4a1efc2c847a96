/** Limits the routes of a Spring Cloud Gateway: a filter {@code Weir} and a rate limiter for Spring's own filter. */
@NullMarked
package dev.weir.spring.internal.gateway;

import org.jspecify.annotations.NullMarked;
