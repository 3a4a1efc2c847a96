package dev.weir.server.rlqs;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the calls of the stores that are in flight at once. The others wait, so that however many buckets Envoys report,
 * the requests that ask this server find their stores as fast as before. Calls for the Envoys of each address are made in
 * turn. Everything runs on the worker.
 */
final class StoreCalls {
    /** The kinds of calls, the most urgent first. */
    enum Kind {
        /** Takes hits for a grant: Envoy waits for it. */
        GRANT,
        /** Asks on which terms a bucket without an assignment may spend: Envoy waits for it, too. */
        FIRST_TERMS,
        /** Asks the same for other buckets. */
        TERMS,
        /** Settles a grant, or counts what passed. Nobody waits for it. */
        AFTERWARDS
    }

    /** The most calls in flight. */
    static final int MOST = 64;

    /**
     * The most calls of the last kind that wait; those of one address leave as much room to others as they take. Further
     * ones are not made, and their hits stay spent.
     */
    private static final int MOST_AFTERWARDS = 200_000;

    private final Executor worker;
    /** By kind, the most urgent first. */
    private final Map<Kind, PeerQueue<Supplier<CompletionStage<?>>>> waiting = new EnumMap<>(Kind.class);

    private int inFlight;
    private boolean starting;

    /** Completions run on {@code worker}. */
    StoreCalls(Executor worker) {
        this.worker = worker;
        for (Kind each : Kind.values()) {
            waiting.put(each, new PeerQueue<>());
        }
    }

    /** Makes {@code call} for an Envoy at {@code address} now, or when others have ended; returns false if too many wait. */
    boolean add(Kind kind, String address, Supplier<CompletionStage<?>> call) {
        PeerQueue<Supplier<CompletionStage<?>>> queue = Objects.requireNonNull(waiting.get(kind));
        if (kind == Kind.AFTERWARDS && queue.size() + queue.size(address) >= MOST_AFTERWARDS) {
            return false;
        }
        queue.add(address, call);
        start();
        return true;
    }

    /** Starts calls while there is room. A call that ends at once does not start the next one within itself. */
    private void start() {
        if (starting) {
            return;
        }
        starting = true;
        try {
            for (Supplier<CompletionStage<?>> next = poll(); next != null; next = poll()) {
                inFlight++;
                var unused = made(next).whenComplete((result, failure) -> worker.execute(this::ended));
            }
        } finally {
            starting = false;
        }
    }

    private static CompletionStage<?> made(Supplier<CompletionStage<?>> call) {
        try {
            return call.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private void ended() {
        inFlight--;
        start();
    }

    private @Nullable Supplier<CompletionStage<?>> poll() {
        if (inFlight < MOST) {
            for (PeerQueue<Supplier<CompletionStage<?>>> queue : waiting.values()) {
                Supplier<CompletionStage<?>> next = queue.poll();
                if (next != null) {
                    return next;
                }
            }
        }
        return null;
    }
}
