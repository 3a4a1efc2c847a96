package dev.weir.internal.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.TimeSource;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.GraphLayout;

/** The memory of a tier when callers use more keys than its bound, as JOL measures everything reachable from it. */
class LocalTierMemoryTest {
    static {
        System.setProperty("jol.magicFieldOffset", "true"); // or it does not look into lambdas and records
    }

    private static final int COUNTERS = 1 << 12;
    private static final int ATTACK = 1_000_000;
    /** The longest that a counter is called. */
    private static final int LONGEST_NAME = 512;

    private static final Meter METER = Meters.of(Limit.tokenBucket(1_000_000, Duration.ofMinutes(1)));
    private static final Rule RULE =
            WeirRules.rule("r", METER.limit()).consistency(Consistency.LEASED).build();

    private final Clock clock = new Clock();
    private final MemoryStore local = new MemoryStore(1024);
    private final LocalTier tier = new LocalTier(local, place -> new Granting(), clock, 10_000, COUNTERS, true);
    private final CounterKeyHash hash = new CounterKeyHash();
    private final CounterKey key = new CounterKey();

    private static final class Clock implements TimeSource {
        private long now = 1_800_000_000_000_000L;

        @Override
        public long micros() {
            return now;
        }

        @Override
        public long nanos() {
            return now * 1_000;
        }
    }

    /** Always has room. */
    private static final class Granting implements SharedStore {
        @Override
        public void decide(Ask ask) {
            Check check = ask.checks.get(0);
            grant(check);
            ask.answered();
        }

        @Override
        public void close() {}
    }

    private static void grant(Check check) {
        check.granted = check.ahead;
        check.failure = null;
        check.outcome.allowed = true;
        check.outcome.remaining = 500_000;
        check.outcome.reset = 1_000_000;
    }

    private final Check check = new Check();

    private Check check(long caller) {
        hash.reset().add(caller).end();
        check.key0 = hash.key0();
        check.key1 = hash.key1();
        check.meter = METER;
        check.hits = 1;
        check.store = 0;
        check.ahead = 0;
        check.granted = 0;
        while (check.name.length() < LONGEST_NAME) {
            check.name.append((byte) 'x');
        }
        return check;
    }

    /** All that can be reached from the tier, but for what it does not own: the memory store, and what all counters share. */
    private long weight() {
        return GraphLayout.parseInstance(tier).totalSize()
                - GraphLayout.parseInstance(local).totalSize()
                - GraphLayout.parseInstance(METER, RULE).totalSize();
    }

    /** Makes it busy, and holds two leases of it if it gets any. */
    private void lease(long caller) {
        Check check = check(caller);
        grant(check);
        tier.leases().seen(check, RULE, 1, clock.nanos());
        tier.leases().seen(check, RULE, 1, clock.nanos());
        var counter = tier.leases().find(check, key, clock.nanos());
        for (int i = 0; counter != null && i < 4; i++) {
            clock.now += 1;
            counter.askAhead(check, clock.nanos());
            grant(check);
            counter.answered(check, 1, clock.nanos(), clock.wallMicros());
        }
    }

    private void deny(long caller) {
        Check check = check(caller);
        check.outcome.allowed = false;
        check.outcome.retryAfter = 1_000_000;
        tier.learn(check, clock.now);
    }

    @Test
    void aMillionDeniedAndLeasedKeysStayWithinTheDocumentedMemory() {
        long before = weight();
        for (int i = 0; i < ATTACK; i++) {
            deny(i);
            lease(i);
        }
        assertThat(tier.counters()).isEqualTo(COUNTERS);
        assertThat(tier.leases().size()).isEqualTo(COUNTERS);
        assertThat(tier.leases().stats().taken()).as("two leases each").isEqualTo(2L * COUNTERS);
        assertWithinTheBound("leased", before);
    }

    @Test
    void aMillionReportedKeysStayWithinTheDocumentedMemory() {
        long before = weight();
        for (int i = 0; i < ATTACK; i++) {
            deny(i);
            Check check = check(i);
            var counter = tier.reports().find(check, key, RULE, 0, clock.now);
            if (counter != null) {
                counter.add(1, 1_000_000, clock.now);
            }
        }
        clock.now += 1_000_000;
        tier.tick();
        assertThat(tier.counters()).isEqualTo(COUNTERS);
        assertThat(tier.reports().stats().reports()).isEqualTo(COUNTERS);
        assertWithinTheBound("reported", before);
    }

    @Test
    void leasedAndReportedCountersShareOneBudgetAndFreeTheirPlaces() {
        for (int i = 0; i < COUNTERS; i++) {
            lease(i);
        }
        assertThat(tier.reports().find(check(-1), key, RULE, 0, clock.now)).isNull();
        tier.forget(check(7));
        assertThat(tier.counters()).isEqualTo(COUNTERS - 1);
        assertThat(tier.reports().find(check(-1), key, RULE, 0, clock.now)).isNotNull();
        assertThat(tier.counters()).isEqualTo(COUNTERS);

        tier.retainIf(rule -> false);
        assertThat(tier.counters()).as("the reported one").isOne();
        for (int i = 0; i < 2; i++) {
            clock.now += 6_000_000;
            tier.tick();
        }
        assertThat(tier.counters()).as("idle").isZero();
    }

    private void assertWithinTheBound(String what, long before) {
        long weight = weight();
        assertThat(weight / COUNTERS)
                .as("%s: %,d bytes empty, %,d full", what, before, weight)
                .isLessThanOrEqualTo(LocalTier.MOST_BYTES);
    }
}
