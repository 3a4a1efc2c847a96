package dev.weir.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.algorithm.RandomLimits.Step;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

/** A limit changed live keeps what was used. */
@Domain(RandomLimits.class)
@Domain(DomainContext.Global.class)
class LiveChangeTest {

    @Property
    void newNumbersKeepTheUsedHits(
            @ForAll Limit limit, @ForAll List<Step> history, @ForAll @LongRange(max = 9_000) long requests) {
        if (RandomLimits.isBucket(limit)) {
            return;
        }
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.play(counter, limit, history);
        long used = limit.requests() - counter.ask(now, 0).remaining;
        Limit next = new Limit(limit.algorithm(), requests, limit.windowMicros(), requests, limit.subWindows());
        long left = counter.changedTo(next).ask(now, 0).remaining;
        assertThat(left).isEqualTo(Math.max(0, requests - used));
    }

    @Property
    void aBucketKeepsTheUsedHitsWhateverChanges(@ForAll Limit limit, @ForAll Limit other, @ForAll List<Step> history) {
        if (!RandomLimits.isBucket(limit) || !RandomLimits.isBucket(other)) {
            return;
        }
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.play(counter, limit, history);
        // Time since the last write of the state drains at the new rate, so write it now.
        Outcome out = counter.take(now, 1);
        long used = RandomLimits.capacity(limit) - out.remaining;
        if (out.allowed) {
            Outcome after = counter.changedTo(other).ask(now, 0);
            assertThat(after.remaining).isEqualTo(Math.max(0, RandomLimits.capacity(other) - used));
        }
    }

    @Property
    void aLongerWindowForgetsNothing(
            @ForAll Limit limit, @ForAll List<Step> history, @ForAll @LongRange(min = 2, max = 9) long times) {
        if (RandomLimits.isBucket(limit)) {
            return;
        }
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.play(counter, limit, history);
        long used = limit.requests() - counter.ask(now, 0).remaining;
        Limit longer = new Limit(limit.algorithm(), 5_000, limit.windowMicros() * times, 5_000, limit.subWindows());
        MeteredCounter changed = counter.changedTo(longer);
        assertThat(changed.ask(now, 0).remaining).isLessThanOrEqualTo(5_000 - used);
        assertThat(changed.take(now, 1).remaining).isLessThanOrEqualTo(5_000 - used - 1);
        assertThat(changed.ask(now, 0).remaining).isEqualTo(changed.ask(now, 1).remaining + 1);
    }

    @Property
    void afterAChangeRetryAfterIsExact(@ForAll Limit limit, @ForAll Limit other, @ForAll List<Step> history) {
        Limit next = new Limit(
                limit.algorithm(),
                other.requests(),
                other.windowMicros(),
                other.burst(),
                limit.subWindows() > 1 ? Math.max(2, other.subWindows()) : 1);
        if (next.windowMicros() % next.subWindows() != 0) {
            return;
        }
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.play(counter, limit, history);
        MeteredCounter changed = counter.changedTo(next);
        Outcome out = changed.take(now, 1);
        if (!out.allowed && RandomLimits.capacity(next) > 0) {
            long wait = out.retryAfter;
            assertThat(wait).isPositive();
            assertThat(changed.ask(now + wait - 1, 1).allowed).isFalse();
            assertThat(changed.take(now + wait, 1).allowed).isTrue();
        }
    }
}
