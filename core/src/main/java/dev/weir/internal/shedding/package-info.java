/**
 * The shedders. The worker shedder admits calls up to a limit in flight that follows measured latency. The fleet usage
 * shedder says which requests of a service are refused as it nears its capacity. Both know numbers and times;
 * requests, rules and clocks may not come in.
 */
@NullMarked
package dev.weir.internal.shedding;

import org.jspecify.annotations.NullMarked;
