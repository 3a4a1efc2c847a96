/**
 * The worker shedder: admits calls up to a limit in flight that follows measured latency. It knows numbers and times;
 * requests, rules and clocks may not come in.
 */
@NullMarked
package dev.weir.internal.shedding;

import org.jspecify.annotations.NullMarked;
