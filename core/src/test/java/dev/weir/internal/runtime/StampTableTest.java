package dev.weir.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StampTableTest {
    private static final long KEY = 0x1234_5678_9abc_def0L;
    /** Of the same place, and of another hash. */
    private static final long OTHER = 0x7654_5678_9abc_def0L;

    private final StampTable table = new StampTable(1 << 10, 24);

    @Test
    void remembersTheStampOfAKey() {
        assertThat(table.isOf(table.word(KEY), KEY)).isFalse();
        table.set(KEY, 42);
        assertThat(table.isOf(table.word(KEY), KEY)).isTrue();
        assertThat(table.stamp(table.word(KEY))).isEqualTo(42);
        assertThat(table.since(table.word(KEY), 50)).isEqualTo(8);
    }

    @Test
    void stampsStartOver() {
        table.set(KEY, (1 << 24) - 1);
        assertThat(table.since(table.word(KEY), 1 << 24)).isEqualTo(1);
    }

    @Test
    void aKeyTakesThePlaceOfAnother() {
        table.set(KEY, 1);
        table.set(OTHER, 2);
        assertThat(table.isOf(table.word(KEY), KEY)).isFalse();
        table.remove(KEY);
        assertThat(table.isOf(table.word(OTHER), OTHER)).isTrue();
        table.remove(OTHER);
        assertThat(table.word(OTHER)).isZero();
    }

    @Test
    void onlyWhoSawTheLastWordReplacesIt() {
        table.set(KEY, 1);
        long seen = table.word(KEY);
        assertThat(table.compareAndSet(KEY, seen, 2)).isTrue();
        assertThat(table.compareAndSet(KEY, seen, 3)).isFalse();
        assertThat(table.stamp(table.word(KEY))).isEqualTo(2);
    }
}
