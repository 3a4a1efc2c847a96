package dev.weir.server.stores;

import dev.weir.StoreFailure;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs once when decisions start to be made without their stores, and once when that ends. The log of an outage is two
 * lines, however many requests it affected.
 */
public final class StoreOutageLog {
    private static final System.Logger LOG = System.getLogger(StoreOutageLog.class.getName());
    /** Quiet checks in a row that end an outage: a store that comes and goes is one outage. */
    private static final int QUIET_UPDATES = 3;

    private final Supplier<String> unreachable;
    private final LongSupplier degradedChecks;
    private final Supplier<@Nullable StoreFailure> lastFailure;
    private final LongSupplier nanos;
    private final BiConsumer<Level, String> log;
    private boolean degraded;
    private long began;
    private long checksBefore;
    private long checksSeen;
    private int quietUpdates;

    /**
     * Creates a log over these readings.
     *
     * @param unreachable describes the unreachable stores, for people; empty while all are reachable
     * @param degradedChecks how many checks {@code on_fail} has decided so far
     * @param lastFailure the most recent failure of a store; null if there was none
     */
    public StoreOutageLog(
            Supplier<String> unreachable, LongSupplier degradedChecks, Supplier<@Nullable StoreFailure> lastFailure) {
        this(unreachable, degradedChecks, lastFailure, System::nanoTime, LOG::log);
    }

    public StoreOutageLog(
            Supplier<String> unreachable,
            LongSupplier degradedChecks,
            Supplier<@Nullable StoreFailure> lastFailure,
            LongSupplier nanos,
            BiConsumer<Level, String> log) {
        this.unreachable = unreachable;
        this.degradedChecks = degradedChecks;
        this.lastFailure = lastFailure;
        this.nanos = nanos;
        this.log = log;
    }

    /** Compares the readings with the last ones; to be called about once a second. */
    public synchronized void update() {
        String now = unreachable.get();
        long checks = degradedChecks.getAsLong();
        boolean quiet = now.isEmpty() && checks == checksSeen;
        if (!quiet && !degraded) {
            degraded = true;
            began = nanos.getAsLong();
            checksBefore = checksSeen;
            String why = now.isEmpty() ? failure() : now;
            log.accept(Level.WARNING, "degraded: " + why + "; on_fail decides");
        }
        quietUpdates = quiet ? quietUpdates + 1 : 0;
        checksSeen = checks;
        if (degraded && quietUpdates >= QUIET_UPDATES) {
            degraded = false;
            long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos.getAsLong() - began);
            log.accept(
                    Level.INFO,
                    "no longer degraded, after " + seconds + " s; on_fail decided " + (checks - checksBefore)
                            + " checks");
        }
    }

    private String failure() {
        StoreFailure last = lastFailure.get();
        if (last == StoreFailure.TIMEOUT) {
            return "a store did not answer within the deadline";
        }
        return last == null ? "a store failed" : "a store failed (" + last.label() + ")";
    }

    public synchronized boolean isDegraded() {
        return degraded;
    }
}
