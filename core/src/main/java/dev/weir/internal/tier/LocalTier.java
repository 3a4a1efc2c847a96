package dev.weir.internal.tier;

import dev.weir.TimeSource;
import dev.weir.internal.lease.Leases;
import dev.weir.internal.model.Rule;
import dev.weir.internal.report.Reports;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.CounterBudget;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.SharedStore;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * What this process knows of shared counters: that they are used up, hits of theirs that it holds, and counts that they have not been
 * told yet. Asked in this order, it spares the stores most decisions; what it does not know, they do.
 *
 * <h2>Memory</h2>
 *
 * One number bounds it, so many {@code counters}: as many denials are remembered, in a table of fixed size, and leased and reported
 * counters have as many places between them. Counters beyond that are asked exactly until idle ones have gone. A denial takes 72 bytes,
 * which are there from the start; all in, a counter takes {@value #MOST_BYTES} at most, with the longest name there is.
 *
 * <h2>Time</h2>
 *
 * No counter has a timer: {@link #tick} is called now and then and looks after all of them.
 */
public final class LocalTier {
    /** What one of the counters takes at most; {@code LocalTierMemoryTest} weighs it. */
    public static final int MOST_BYTES = 1_536;

    /** How long a denial is believed before one request asks anew. */
    public static final long BELIEVED_MICROS = DenyCache.BELIEVED;

    private final DenyCache denials;
    private final CounterBudget room;
    private final Leases leases;
    private final Reports reports;

    /**
     * The tier between this process and {@code stores}, by their place.
     *
     * @param local where reported counters are counted until their store is told
     * @param deadlineMicros how long a store may take to answer
     * @param counters that it knows something of at a time
     */
    public LocalTier(
            LocalStore local, IntFunction<SharedStore> stores, TimeSource time, long deadlineMicros, int counters) {
        this.denials = new DenyCache(counters);
        this.room = new CounterBudget(counters);
        this.leases = new Leases(stores, time, deadlineMicros, room, counters, check -> learn(check, 0));
        this.reports = new Reports(local, stores, time, deadlineMicros, room);
    }

    /**
     * Whether {@code check} is known not to fit at {@code now}; its outcome says so then. Of many that ask, once in
     * {@link #BELIEVED_MICROS} one is told no, to ask the store.
     */
    public boolean denies(Check check, long now) {
        return denials.denies(check, now);
    }

    /** When the store was asked that gave the denial of {@code check}; if there is none any more, later than any. */
    public long deniedSince(Check check) {
        return denials.since(check);
    }

    /** Whether {@code check}, which no store has answered, is known not to fit at {@code now}. */
    public boolean stillDenies(Check check, long now) {
        return denials.stillDenies(check, now);
    }

    /** Takes in what a store, asked at {@code asked}, said to {@code check}: whether it fits, or until when not. */
    public void learn(Check check, long asked) {
        denials.learn(check, asked);
    }

    /** Checks that were denied without asking, since the start. */
    public long denied() {
        return denials.answered() + leases.stats().denied() + reports.stats().denied();
    }

    /** Hits that were taken ahead of time. */
    public Leases leases() {
        return leases;
    }

    /** Counts that stores are told of afterwards. */
    public Reports reports() {
        return reports;
    }

    /** Counters of which hits are held or counts not told, or were a moment ago: the places that are taken. */
    public int counters() {
        return room.taken();
    }

    /** Gives back leases that have expired, reports counts that are due, and forgets counters that are idle. */
    public void tick() {
        leases.sweep();
        reports.tick();
    }

    /** Other rules are in force: denials are forgotten, and leases go back but for those whose rule is {@code kept}. */
    public void retainIf(Predicate<Rule> kept) {
        denials.clear();
        leases.retainIf(kept);
    }

    /**
     * Forgets all that is known of the counter of {@code check}, whose store has forgotten it: what is held of it came from before and
     * does not go back, nor do counts that it has not been told.
     */
    public void forget(Check check) {
        leases.forget(check);
        reports.forget(check);
        denials.forget(check.key0);
    }

    /** Gives back all leases, takes none any more, and reports all counts; done when the stores have answered. */
    public CompletionStage<Void> close() {
        return leases.close().thenCombine(reports.flush(), (returned, told) -> null);
    }
}
