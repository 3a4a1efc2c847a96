package dev.weir.server.health;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Whether this server takes requests: the one place that gRPC health, its watchers and {@code /healthcheck} speak from. */
public final class Health {
    /** What it says of itself. */
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

    /** Which stores are away and why, for people; empty while all are there. It serves all the same. */
    public String degraded() {
        return degraded.get();
    }

    /** Where that is known from. */
    public void degradedBy(Supplier<String> stores) {
        degraded = stores;
    }

    /** Changes the state and tells the listeners, on this thread; the same state again tells nobody. */
    public synchronized void set(State next) {
        if (next != state) {
            state = next;
            listeners.forEach(each -> each.accept(next));
        }
    }

    /** Tells {@code listener} of every change from now on, until the returned handle is run. */
    public synchronized Runnable onChange(Consumer<State> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }
}
