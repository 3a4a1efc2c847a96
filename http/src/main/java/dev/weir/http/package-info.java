/**
 * Limits HTTP calls by rules, for any framework: an adapter shows its call as an {@link dev.weir.http.HttpCall}, and an
 * {@link dev.weir.http.HttpLimiter} decides it. Types of a framework may not come in.
 */
@NullMarked
package dev.weir.http;

import org.jspecify.annotations.NullMarked;
