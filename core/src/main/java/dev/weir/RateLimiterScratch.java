package dev.weir;

import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.time.Duration;

/** The buffers of one thread, reused for every call. */
final class RateLimiterScratch {
    private static final ThreadLocal<RateLimiterScratch> OF_THREAD = ThreadLocal.withInitial(RateLimiterScratch::new);
    private static final Meter DENY = Meters.of(Limit.fixedWindow(0, Duration.ofSeconds(1)));

    /** The checks of the call; the first is the caller's. */
    final Checks checks = new Checks();

    private final CounterKeyHash hash = new CounterKeyHash();
    private Meter meter = DENY;

    /** Returns this thread's scratch with a check of {@code key}; the caller sets the hits. */
    static RateLimiterScratch of(MeteredLimit limit, String key) {
        RateLimiterScratch scratch = OF_THREAD.get();
        scratch.hash.reset(limit.prefix0, limit.prefix1).add(key).end();
        return scratch.begin(limit);
    }

    /** Returns this thread's scratch with a check of {@code key}; the caller sets the hits. */
    static RateLimiterScratch of(MeteredLimit limit, long key) {
        RateLimiterScratch scratch = OF_THREAD.get();
        scratch.hash.reset(limit.prefix0, limit.prefix1).add(key).end();
        return scratch.begin(limit);
    }

    /**
     * Adds a check that is always over. Checks are taken all or none, so the caller's check is evaluated but not taken.
     */
    RateLimiterScratch denied() {
        add(DENY, 0, 0, 1);
        return this;
    }

    /** The limit of the caller's check. */
    Limit limit() {
        return meter.limit();
    }

    private RateLimiterScratch begin(MeteredLimit limit) {
        meter = limit.meter;
        checks.clear();
        add(meter, hash.key0(), hash.key1(), 0);
        return this;
    }

    private void add(Meter meter, long key0, long key1, long hits) {
        Check check = checks.add();
        check.key0 = key0;
        check.key1 = key1;
        check.meter = meter;
        check.hits = hits;
        check.countsDenied = false;
        check.role = Check.Role.ENFORCE;
    }
}
