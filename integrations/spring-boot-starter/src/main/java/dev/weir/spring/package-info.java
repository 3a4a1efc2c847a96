/**
 * Weir in a Spring Boot application: the annotation for methods, its exception, and the beans by which an application changes
 * what the starter does. Everything else is configured by {@code weir.*} properties.
 */
@NullMarked
package dev.weir.spring;

import org.jspecify.annotations.NullMarked;
