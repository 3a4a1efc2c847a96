/**
 * Protects the HTTP and the admin port with worker shedders: the priority of a request, when it begins and ends for the
 * shedder, its refusal, and the metrics. Nothing here knows rules or stores.
 */
@NullMarked
package dev.weir.server.shedding;

import org.jspecify.annotations.NullMarked;
