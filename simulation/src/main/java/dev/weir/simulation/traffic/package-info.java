/**
 * The simulated callers: when they send, how requests spread over them, and which node each request goes to. Limits
 * and decisions do not come in.
 */
@NullMarked
package dev.weir.simulation.traffic;

import org.jspecify.annotations.NullMarked;
