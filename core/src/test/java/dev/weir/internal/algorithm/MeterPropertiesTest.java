package dev.weir.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.RandomLimits.Step;
import java.util.List;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

/** The properties of every meter, whatever it counts by, over random limits and histories. */
@Domain(RandomLimits.class)
@Domain(DomainContext.Global.class)
class MeterPropertiesTest {

    @Property
    void decidesAsItsDefinitionSays(@ForAll Limit limit, @ForAll List<Step> history) {
        MeteredCounter counter = MeteredCounter.of(limit);
        ReferenceMeter model = ReferenceMeter.of(limit, counter.meter().tickMicros());
        long now = RandomLimits.NOW;
        for (Step step : history) {
            now += RandomLimits.gap(limit, step);
            long free = model.free(now);
            Outcome out = counter.take(now, step.hits());
            assertThat(out.allowed).isEqualTo(step.hits() <= Math.max(0, free));
            if (out.allowed) {
                model.add(now, step.hits());
            }
            assertThat(out.remaining).isEqualTo(Math.max(0, model.free(now)));
        }
    }

    @Property
    void retryAfterIsTheFirstMomentAtWhichTheSameHitsFit(
            @ForAll Limit limit, @ForAll List<Step> history, @ForAll @LongRange(max = 40) long hits) {
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.play(counter, limit, history);
        Outcome out = counter.ask(now, hits);
        if (out.allowed) {
            assertThat(out.retryAfter).isZero();
        } else if (hits > RandomLimits.capacity(limit)) {
            assertThat(out.retryAfter).isEqualTo(Outcome.NEVER);
        } else {
            long wait = out.retryAfter;
            assertThat(wait).isPositive();
            assertThat(counter.ask(now + wait, hits).allowed).isTrue();
            long before = now + wait - counter.meter().tickMicros();
            assertThat(counter.ask(Math.max(now, before), hits).allowed).isFalse();
        }
    }

    @Property
    void isAsGoodAsNewAtResetAndNotATickBefore(
            @ForAll Limit limit, @ForAll List<Step> history, @ForAll @LongRange(max = 40) long hits) {
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.play(counter, limit, history);
        Outcome out = counter.take(now, hits);
        long reset = out.reset;
        boolean used = out.remaining < RandomLimits.capacity(limit);
        MeteredCounter fresh = MeteredCounter.of(limit);
        long then = now + reset;
        for (long next = 0; next <= 40; next += 3) {
            assertSame(counter.ask(then, next), fresh.ask(then, next));
            assertSame(counter.ask(then + 1, next), fresh.ask(then + 1, next));
        }
        if (used && limit.algorithm() != Algorithm.FIXED_WINDOW) {
            long before = Math.max(now, then - counter.meter().tickMicros());
            assertThat(counter.ask(before, 0).remaining).isLessThan(RandomLimits.capacity(limit));
        }
    }

    @Property
    void askingChangesNothing(@ForAll Limit limit, @ForAll List<Step> history) {
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.play(counter, limit, history);
        String before = counter.state();
        assertThat(counter.take(now, 0).allowed).isTrue();
        assertThat(counter.state()).isEqualTo(before);
    }

    @Property
    void denialChangesNothing(@ForAll Limit limit, @ForAll List<Step> history) {
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.play(counter, limit, history);
        String before = counter.state();
        assertThat(counter.take(now, RandomLimits.capacity(limit) + 1).allowed).isFalse();
        assertThat(counter.state()).isEqualTo(before);
    }

    @Property
    void hitsGivenBackAtOnceAreAvailableAgain(
            @ForAll Limit limit, @ForAll List<Step> history, @ForAll @LongRange(min = 1, max = 40) long hits) {
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.play(counter, limit, history);
        MeteredCounter untouched = counter.copy();
        Assume.that(counter.take(now, hits).allowed);
        assertThat(counter.take(now, -hits).allowed).isTrue();
        for (long wait : new long[] {0, limit.windowMicros() / 3, limit.windowMicros(), 3 * limit.windowMicros()}) {
            assertThat(counter.ask(now + wait, 1).remaining).isEqualTo(untouched.ask(now + wait, 1).remaining);
        }
    }

    @Property
    void givingBackStopsAtNothingUsed(@ForAll Limit limit, @ForAll List<Step> history) {
        for (long all : new long[] {-2 * RandomLimits.capacity(limit) - 1, Long.MIN_VALUE, Long.MIN_VALUE + 1}) {
            MeteredCounter counter = MeteredCounter.of(limit);
            long now = RandomLimits.play(counter, limit, history);
            Outcome out = counter.take(now, all);
            assertThat(out.allowed).isTrue();
            assertThat(out.remaining).isEqualTo(RandomLimits.capacity(limit));
            assertThat(out.used).isZero();
            MeteredCounter fresh = MeteredCounter.of(limit);
            assertSame(counter.ask(now, 1), fresh.ask(now, 1));
        }
    }

    @Property
    void shareUsedIsNothingOnlyIfNothingIsAndAllOnlyIfAllIs(@ForAll Limit limit, @ForAll List<Step> history) {
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.play(counter, limit, history);
        Outcome out = counter.ask(now, 0);
        long capacity = RandomLimits.capacity(limit);
        assertThat(out.used == 0).isEqualTo(out.remaining == capacity);
        if (out.remaining == 0 && capacity > 0) {
            assertThat(out.used).isEqualTo(255);
        }
    }

    @Property
    void aClockThatStepsBackFreesNothingAndLocksNobodyOut(
            @ForAll Limit limit,
            @ForAll List<Step> history,
            @ForAll @LongRange(min = 1, max = 20) long tenthsOfAWindow) {
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.play(counter, limit, history);
        long before = counter.ask(now, 0).remaining;
        long back = Math.max(0, now - Math.max(1, limit.windowMicros() / 10) * tenthsOfAWindow * tenthsOfAWindow);
        Outcome out = counter.take(back, 1);
        assertThat(out.remaining).isLessThanOrEqualTo(before);
        if (!out.allowed && RandomLimits.capacity(limit) > 0) {
            long wait = out.retryAfter;
            long part = limit.windowMicros() / limit.subWindows();
            boolean bucket = RandomLimits.isBucket(limit);
            long hit = bucket ? limit.windowMicros() / limit.requests() + 1_000 : 0;
            assertThat(wait).isLessThanOrEqualTo(bucket ? hit : 2 * limit.windowMicros() + part);
            assertThat(counter.take(back + wait, 1).allowed).isTrue();
        }
    }

    private static void assertSame(Outcome actual, Outcome expected) {
        assertThat(actual.allowed).isEqualTo(expected.allowed);
        assertThat(actual.remaining).isEqualTo(expected.remaining);
        assertThat(actual.reset).isEqualTo(expected.reset);
        assertThat(actual.retryAfter).isEqualTo(expected.retryAfter);
        assertThat(actual.delay).isEqualTo(expected.delay);
        assertThat(actual.used).isEqualTo(expected.used);
    }
}
