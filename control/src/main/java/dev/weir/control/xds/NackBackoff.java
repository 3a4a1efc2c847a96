package dev.weir.control.xds;

import dev.weir.control.xds.proto.DiscoveryResponse;
import org.jspecify.annotations.Nullable;

/**
 * The wait before a response is refused again (NACK). go-control-plane answers a refusal with the same response at
 * once. Without a pause the two would keep each other busy.
 */
final class NackBackoff {
    private static final long FIRST_MILLIS = 50;
    private static final long MOST_MILLIS = 1_000;

    private @Nullable DiscoveryResponse last;
    private int repeats;

    /** Returns the pause before {@code response} is refused; 0 for a new response. */
    long pauseMillis(DiscoveryResponse response) {
        boolean again = last != null
                && last.getVersionInfo().equals(response.getVersionInfo())
                && last.getResourcesList().equals(response.getResourcesList());
        last = response;
        repeats = again ? repeats + 1 : 0;
        return again ? Math.min(MOST_MILLIS, FIRST_MILLIS << Math.min(repeats - 1, 10)) : 0;
    }
}
