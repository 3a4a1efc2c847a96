/** Limits methods with {@link dev.weir.spring.RateLimited}: finds and checks them at start, and decides each call. */
@NullMarked
package dev.weir.spring.internal.methods;

import org.jspecify.annotations.NullMarked;
