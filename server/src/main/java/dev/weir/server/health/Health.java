package dev.weir.server.health;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Holds whether this server is serving. gRPC health, its watchers and {@code /healthcheck} all read it here. */
public final class Health {
    /** The state that health checks report. */
    public enum State {
        NOT_SERVING,
        SERVING
    }

    private final Set<Consumer<State>> listeners = ConcurrentHashMap.newKeySet();
    private volatile State state = State.NOT_SERVING;
    private volatile Supplier<String> degraded = () -> "";

    public State state() {
        return state;
    }

    public boolean serving() {
        return state == State.SERVING;
    }

    /**
     * The unreachable stores and database with the reasons, for people; empty while all are reachable. The server keeps
     * serving meanwhile.
     */
    public String degraded() {
        return degraded.get();
    }

    /** Sets the source of {@link #degraded}. */
    public void degradedBy(Supplier<String> unreachable) {
        degraded = unreachable;
    }

    /** Changes the state and calls the listeners on this thread. Setting the same state again calls none. */
    public synchronized void set(State next) {
        if (next != state) {
            state = next;
            listeners.forEach(each -> each.accept(next));
        }
    }

    /** Calls {@code listener} on every change from now on, until the returned handle is run. */
    public synchronized Runnable onChange(Consumer<State> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }
}
