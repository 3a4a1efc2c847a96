package dev.weir.internal.model;

import dev.weir.Request;
import java.util.List;

/**
 * Hits that were reserved for a call whose cost is not known yet. It holds all that is needed to settle it, on any
 * server with the same stores.
 *
 * @param id0 half of its random id; it is settled once
 * @param process identifies the process whose memory has its local counters
 * @param local whether all its counters are in that memory
 * @param expiryMicros when it can no longer be settled, microseconds since the epoch
 * @param request the request, with the hits that were asked for
 * @param held the hits taken from each limit
 */
public record HeldRequest(
        long id0, long id1, long process, boolean local, long expiryMicros, Request request, List<HeldHits> held) {
    public HeldRequest {
        held = List.copyOf(held);
    }
}
