package dev.weir.simulation.fleet;

import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.store.Host;
import dev.weir.simulation.store.StoreLinks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A machine of the fleet, with the process that runs on it, if any. */
public final class SimulatedNode implements Host {
    private final int number;
    private final Timeline timeline;
    private long pausedUntil;
    private @Nullable Life life;

    /** One life of a node's process. */
    record Life(MachineClock clock, List<StoreLinks> stores, NodeLimiter peer) {
        /** Whether there are links to the server with this number. */
        boolean reaches(int server) {
            return stores.stream().anyMatch(each -> each.leadsTo(server));
        }

        /** The links to the server with this number. */
        StoreLinks linksTo(int server) {
            for (StoreLinks each : stores) {
                if (each.leadsTo(server)) {
                    return each;
                }
            }
            throw new IllegalArgumentException("server: " + server + " (expected: one of a store)");
        }
    }

    SimulatedNode(int number, Timeline timeline) {
        this.number = number;
        this.timeline = timeline;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public long pausedUntil() {
        return pausedUntil;
    }

    boolean isUp() {
        return life != null;
    }

    @Nullable
    Life life() {
        return life;
    }

    void start(Life next) {
        life = next;
    }

    /** Pauses the machine for {@code nanos}. */
    void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, timeline.now() + nanos);
    }

    /** Stops taking requests; asks in flight are still answered. */
    void leave() {
        life = null;
    }

    /** Ends the process at once, with all its state. */
    void kill() {
        if (life != null) {
            life.stores().forEach(StoreLinks::close);
            life = null;
        }
        pausedUntil = 0;
    }
}
