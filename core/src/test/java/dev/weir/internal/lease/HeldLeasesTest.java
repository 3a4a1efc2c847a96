package dev.weir.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Leases of fixed windows, when an answer shows that the store counts in a later window: its clock was set forward. */
class HeldLeasesTest {
    private static final long FIRST = 1_000;
    private static final long SECOND = 2_000;
    private static final long LATER = 100;

    private final HeldLeases held = new HeldLeases();

    private static Lease lease(long hits, long window) {
        return new Lease(hits, hits, LATER, LATER, LATER, window);
    }

    @Test
    void leasesOfEarlierWindowsAreLostAndThoseOfTheWindowItselfAreKept() {
        held.accept(lease(4, FIRST));
        held.accept(lease(5, SECOND));
        assertThat(held.closeBefore(FIRST)).isZero();
        assertThat(held.left()).isEqualTo(9);
        assertThat(held.closeBefore(SECOND)).isEqualTo(4);
        assertThat(held.left()).isEqualTo(5);
        assertThat(held.take(5, 0, 0)).isNotNull();
        assertThat(held.spent()).isEqualTo(5);
    }

    @Test
    void bothLeasesMayBeOfEarlierWindows() {
        held.accept(lease(4, FIRST));
        held.accept(lease(5, FIRST));
        assertThat(held.take(1, 0, 0)).isNotNull();
        assertThat(held.closeBefore(SECOND)).isEqualTo(8);
        assertThat(held.areNone()).isTrue();
        assertThat(held.spent()).isEqualTo(1);
    }

    @Test
    void leasesEndByTheClockThatSaysSoFirst() {
        held.accept(lease(4, FIRST));
        assertThat(held.cover(1, LATER - 1, LATER - 1)).isTrue();
        assertThat(held.take(1, LATER, 0)).isNull();
        assertThat(held.take(1, 0, LATER)).isNull();
    }
}
