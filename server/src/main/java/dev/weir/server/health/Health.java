package dev.weir.server.health;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Holds whether this server is serving, and whether it is healthy: serving, with rules where it needs them. gRPC health,
 * its watchers and {@code /healthcheck} all read it here.
 */
public final class Health {
    /** The state that health checks report. */
    public enum State {
        NOT_SERVING,
        SERVING
    }

    private final Set<Consumer<State>> listeners = ConcurrentHashMap.newKeySet();
    private volatile State state = State.NOT_SERVING;
    private volatile boolean serving;
    private boolean lacksRules;
    private volatile Supplier<String> degraded = () -> "";

    /** Returns what health checks report. */
    public State state() {
        return state;
    }

    /** Returns whether this server has started and is not stopping. It serves without rules, too. */
    public boolean serving() {
        return serving;
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

    /** Notes that the server has started, or that it is stopping. */
    public synchronized void set(State next) {
        serving = next == State.SERVING;
        report();
    }

    /** Notes whether the server lacks rules that it needs to be healthy. */
    public synchronized void lacksRules(boolean lacks) {
        lacksRules = lacks;
        report();
    }

    /** Calls the listeners on this thread if the state has changed. */
    private void report() {
        State next = serving && !lacksRules ? State.SERVING : State.NOT_SERVING;
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
