package dev.weir.internal.tier;

import dev.weir.TimeSource;
import dev.weir.internal.lease.LeasedPermits;
import dev.weir.internal.lease.Leases;
import dev.weir.internal.model.Rule;
import dev.weir.internal.region.RegionalCounts;
import dev.weir.internal.report.Reports;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.CounterBudget;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.SharedStore;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * The data of shared counters that this process holds: denials, leases, and counts that are not reported yet. Asked in
 * this order, it decides most requests without a store.
 *
 * <h2>Memory</h2>
 *
 * <p>One number, {@code counters}, bounds it. The table of denials has that many entries, and leased and reported
 * counters, and those that regions share, have that many places. Counters beyond the bound are asked exactly until idle ones are dropped. A denial
 * takes 72 bytes, allocated at the start. All in all, a counter takes {@value #MOST_BYTES} bytes at most, with the
 * longest name.
 *
 * <h2>Time</h2>
 *
 * <p>No counter has a timer: {@link #tick} is called periodically and serves all of them.
 */
public final class LocalTier {
    /** The most memory that a counter takes, bytes; {@code LocalTierMemoryTest} measures it. */
    public static final int MOST_BYTES = 1_552;

    /** How long a denial holds before one request re-validates it. */
    public static final long BELIEVED_MICROS = DenyCache.REVALIDATE_AFTER;

    private final DenyCache denials;
    private final boolean repeatsDenials;
    private final CounterBudget budget;
    private final Leases leases;
    private final LeasedPermits permits;
    private final Reports reports;
    private final RegionalCounts regions;

    /**
     * Creates the tier between this process and {@code stores}, which are given by index.
     *
     * @param local the store that counts reported counters until they are reported
     * @param deadlineMicros how long a store may take to answer
     * @param counters the most counters that it holds data of
     * @param repeatsDenials whether it denies by what stores said before; if false, only while they do not answer
     */
    public LocalTier(
            LocalStore local,
            IntFunction<SharedStore> stores,
            TimeSource time,
            long deadlineMicros,
            int counters,
            boolean repeatsDenials) {
        this.repeatsDenials = repeatsDenials;
        this.denials = new DenyCache(counters);
        this.budget = new CounterBudget(counters);
        this.leases = new Leases(stores, time, deadlineMicros, budget, counters, check -> learn(check, 0));
        this.permits = new LeasedPermits(stores, time, budget);
        this.reports = new Reports(local, stores, time, deadlineMicros, budget);
        this.regions = new RegionalCounts(stores, time, budget);
    }

    /**
     * Whether {@code check} is known not to fit at {@code now}; then its outcome is written. Once in {@link
     * #BELIEVED_MICROS}, one of many callers gets false, to ask the store.
     */
    public boolean denies(Check check, long now) {
        return repeatsDenials && denials.denies(check, now);
    }

    /** When the store that denied {@code check} was asked; the largest moment if the denial is gone. */
    public long deniedSince(Check check) {
        return denials.since(check);
    }

    /** Whether {@code check}, which no store has answered, is known not to fit at {@code now}. */
    public boolean stillDenies(Check check, long now) {
        return denials.stillDenies(check, now);
    }

    /** Whether {@link #denies} would return true at {@code now}; then the outcome is written, and nothing else changes. */
    public boolean believes(Check check, long now) {
        return repeatsDenials && denials.believes(check, now);
    }

    /** Whether another counter can be leased or reported. */
    public boolean hasRoom() {
        return budget.hasRoom();
    }

    /** Records the answer of a store, asked at {@code asked}, to {@code check}. */
    public void learn(Check check, long asked) {
        denials.learn(check, asked);
    }

    /** Checks that were denied without asking a store, since the start. */
    public long denied() {
        return denials.answered() + leases.stats().denied() + reports.stats().denied();
    }

    /** The leases of this process. */
    public Leases leases() {
        return leases;
    }

    /** The permits that this process counts by itself. */
    public LeasedPermits permits() {
        return permits;
    }

    /** The counts that this process reports. */
    public Reports reports() {
        return reports;
    }

    /** The counters of limits that regions share. */
    public RegionalCounts regions() {
        return regions;
    }

    /** The number of counters that are leased or reported, or were a moment ago. */
    public int counters() {
        return budget.taken();
    }

    /** Gives back expired leases, sends reports that are due, and forgets idle counters. */
    public void tick() {
        leases.sweep();
        permits.tick();
        reports.tick();
        regions.tick();
    }

    /** Adapts to new rules: forgets all denials, and gives back leases except those whose rule is {@code kept}. */
    public void retainIf(Predicate<Rule> kept) {
        denials.clear();
        leases.retainIf(kept);
    }

    /**
     * Forgets the counter of {@code check}, whose store has forgotten it. Leases from before are not given back, and
     * counts from before are not reported.
     */
    public void forget(Check check) {
        leases.forget(check);
        permits.forget(check);
        reports.forget(check);
        regions.forget(check);
        denials.forget(check.key0);
    }

    /** Gives back all leases, takes no more, and reports all counts; completes when the stores have answered. */
    public CompletionStage<Void> close() {
        return leases.close()
                .thenCombine(permits.close(), (returned, told) -> null)
                .thenCombine(reports.flush(), (returned, reported) -> null);
    }
}
