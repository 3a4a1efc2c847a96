/**
 * Makes throw-away calls over loopback until the JVM has compiled the decision path, so that the first real caller does
 * not wait for it. It touches no rule, counter or metric of the user.
 */
@NullMarked
package dev.weir.server.warmup;

import org.jspecify.annotations.NullMarked;
