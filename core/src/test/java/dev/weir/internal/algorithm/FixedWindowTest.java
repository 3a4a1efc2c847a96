package dev.weir.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.CalendarWindow;
import dev.weir.Limit;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The fixed window, where the reference service's meaning goes beyond what all meters share. */
class FixedWindowTest {
    private static final long NOON = 1_700_000_000_000_000L / 60_000_000 * 60_000_000;

    private final Outcome out = new Outcome();
    private long state0;
    private long state1;

    @Test
    void hitsCountEvenWhenDeniedIfAsked() {
        SlotMeter meter = fixed(10);
        count(meter, NOON, 8);
        assertThat(out.allowed).isTrue();
        count(meter, NOON, 3);
        assertThat(out.allowed).isFalse();
        assertThat(state1).isEqualTo(11);
        assertThat(out.remaining).isZero();
        assertThat(out.retryAfter).isEqualTo(60_000_000);
    }

    @Test
    void hitsThatAreDeniedDoNotCountOtherwise() {
        SlotMeter meter = fixed(10);
        meter.apply(0, 0, NOON, 8, false, out);
        meter.apply(out.state0, out.state1, NOON, 3, false, out);
        assertThat(out.allowed).isFalse();
        assertThat(out.state1).isEqualTo(8);
        assertThat(out.remaining).isEqualTo(2);
    }

    @Test
    void aWindowOfTheCalendarStartsAnewOnTheFirst() {
        SlotMeter meter = (SlotMeter) Meters.of(Limit.calendarWindow(2, CalendarWindow.MONTH));
        long leapDay = micros("2024-02-29T23:59:59Z");
        count(meter, micros("2024-02-01T00:00:00Z"), 2);
        assertThat(out.reset).isEqualTo(Duration.ofDays(29).toMillis() * 1_000);
        count(meter, leapDay, 1);
        assertThat(out.allowed).isFalse();
        assertThat(out.reset).isEqualTo(1_000_000);
        assertThat(out.retryAfter).isEqualTo(1_000_000);
        count(meter, leapDay + 1_000_000, 1);
        assertThat(out.allowed).isTrue();
        assertThat(out.remaining).isEqualTo(1);
        assertThat(out.reset).isEqualTo(Duration.ofDays(31).toMillis() * 1_000);
    }

    private static long micros(String moment) {
        return Instant.parse(moment).toEpochMilli() * 1_000;
    }

    @Test
    void noHitsAreNotOverALimitThatIsJustUsedUp() {
        SlotMeter meter = fixed(2);
        count(meter, NOON, 2);
        count(meter, NOON, 0);
        assertThat(out.allowed).isTrue();
        count(fixed(0), NOON + 60_000_000, 0);
        assertThat(out.allowed).isTrue();
    }

    @Test
    void noHitsAreOverALimitThatWasLoweredBelowWhatIsUsed() {
        count(fixed(10), NOON, 7);
        count(fixed(5), NOON, 0);
        assertThat(out.allowed).isFalse();
        assertThat(out.retryAfter).isEqualTo(60_000_000);
    }

    @Test
    void hugeHitsAreOverAndLeaveTheNextWindowUsable() {
        SlotMeter meter = fixed(10);
        for (int i = 0; i < 3; i++) {
            count(meter, NOON, Long.MAX_VALUE);
            assertThat(out.allowed).isFalse();
            assertThat(out.retryAfter).isEqualTo(Outcome.NEVER);
            assertThat(out.remaining).isZero();
        }
        count(meter, NOON + 60_000_000, 10);
        assertThat(out.allowed).isTrue();
    }

    @Test
    void resetIsTheEndOfTheWindow() {
        count(fixed(10), NOON + 15_000_000, 1);
        assertThat(out.reset).isEqualTo(45_000_000);
    }

    @Test
    void aLongerWindowKeepsTheCountIfTheShorterBeganInIt() {
        long hour = 1_700_000_000_000_000L / 3_600_000_000L * 3_600_000_000L;
        count(fixed(10), hour + 120_000_000, 4);
        count((SlotMeter) Meters.of(Limit.fixedWindow(10, Duration.ofHours(1))), hour + 130_000_000, 0);
        assertThat(out.remaining).isEqualTo(6);
    }

    private void count(SlotMeter meter, long now, long hits) {
        meter.apply(state0, state1, now, hits, true, out);
        state0 = out.state0;
        state1 = out.state1;
    }

    private static SlotMeter fixed(long requests) {
        return (SlotMeter) Meters.of(Limit.fixedWindow(requests, Duration.ofMinutes(1)));
    }
}
