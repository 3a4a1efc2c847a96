/** Limits HTTP calls in two phases around Spring Security, on servlets and on WebFlux. */
@NullMarked
package dev.weir.spring.internal.web;

import org.jspecify.annotations.NullMarked;
