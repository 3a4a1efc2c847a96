package dev.weir.server.stores;

import dev.weir.StoreFailure;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says once when decisions begin to be made without their stores, and once when that is over: the log of an outage is two lines,
 * however many requests it met.
 */
public final class StoreOutageLog {
    private static final System.Logger LOG = System.getLogger(StoreOutageLog.class.getName());
    /** So many looks in a row must have been quiet before it is over: a store that comes and goes is one outage. */
    private static final int QUIET = 3;

    private final Supplier<String> away;
    private final LongSupplier degradedChecks;
    private final Supplier<@Nullable StoreFailure> lastFailure;
    private final LongSupplier nanos;
    private final BiConsumer<Level, String> log;
    private boolean degraded;
    private long began;
    private long checksBefore;
    private long checksSeen;
    private int quiet;

    /**
     * Watches stores.
     *
     * @param away which are, for people; empty while all are there
     * @param degradedChecks how many checks a failure policy has decided so far
     * @param lastFailure why it had to when it last had
     */
    public StoreOutageLog(
            Supplier<String> away, LongSupplier degradedChecks, Supplier<@Nullable StoreFailure> lastFailure) {
        this(away, degradedChecks, lastFailure, System::nanoTime, LOG::log);
    }

    public StoreOutageLog(
            Supplier<String> away,
            LongSupplier degradedChecks,
            Supplier<@Nullable StoreFailure> lastFailure,
            LongSupplier nanos,
            BiConsumer<Level, String> log) {
        this.away = away;
        this.degradedChecks = degradedChecks;
        this.lastFailure = lastFailure;
        this.nanos = nanos;
        this.log = log;
    }

    /** To be called about once a second. */
    public synchronized void look() {
        String now = away.get();
        long checks = degradedChecks.getAsLong();
        boolean calm = now.isEmpty() && checks == checksSeen;
        if (!calm && !degraded) {
            degraded = true;
            began = nanos.getAsLong();
            checksBefore = checksSeen;
            String why = now.isEmpty() ? failure() : now;
            log.accept(Level.WARNING, "degraded: " + why + "; rules follow their on_fail");
        }
        quiet = calm ? quiet + 1 : 0;
        checksSeen = checks;
        if (degraded && quiet >= QUIET) {
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
            return "a store did not answer inside the deadline";
        }
        return last == null ? "a store failed" : "a store failed (" + last.label() + ")";
    }

    public synchronized boolean isDegraded() {
        return degraded;
    }
}
