package dev.weir.server;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Whether this server takes requests: the one place that gRPC health, its watchers and {@code /healthcheck} speak from. */
public final class Health {
    /** What it says of itself. */
    public enum State {
        NOT_SERVING,
        SERVING
    }

    private final Set<Consumer<State>> listeners = ConcurrentHashMap.newKeySet();
    private volatile State state = State.NOT_SERVING;

    public State state() {
        return state;
    }

    public boolean serving() {
        return state == State.SERVING;
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
