package dev.weir.internal.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SlotTableTest {
    private static final long NOW = 1_700_000_000;

    private static Stripe table(int maxKeys) {
        Arena arena = new Arena(1 << 16);
        return new Stripe(maxKeys, arena, new BlockReclaim(arena, new Stripe[1]));
    }

    private static void put(Stripe table, long key0, int used, long expiry, long now) {
        int at = table.find(key0, 0);
        if (at < 0) {
            at = table.insert(key0, 0, now);
        }
        table.write(at, 0, used, expiry, key0, ~key0);
    }

    private static boolean holds(Stripe table, long key0) {
        int at = table.find(key0, 0);
        if (at >= 0) {
            assertThat(table.state0(at)).isEqualTo(key0);
            assertThat(table.state1(at)).isEqualTo(~key0);
        }
        return at >= 0;
    }

    @Property(tries = 100)
    void belowItsBoundItNeverLosesALiveKeyAndAtItsBoundItHoldsNoMore(
            @ForAll Random random, @ForAll @IntRange(min = 1, max = 300) int maxKeys, @ForAll boolean crowded) {
        Stripe table = table(maxKeys);
        Map<Long, Long> expiries = new HashMap<>();
        long now = NOW;
        for (int i = 0; i < 1000; i++) {
            now += random.nextInt(8) / 7;
            // Crowded keys share their first home, so that the overhang is put to the test.
            long key0 = crowded
                    ? Long.MAX_VALUE - random.nextInt(2 * maxKeys) - 1
                    : random.nextInt(2 * maxKeys) * 0x9e3779b97f4a7c15L;
            long expiry = now + 1 + random.nextInt(100);
            long evicted = table.evictions();
            put(table, key0, random.nextInt(256), expiry, now);
            if (table.evictions() > evicted) {
                expiries.keySet().removeIf(key -> table.find(key, 0) < 0);
            }
            expiries.put(key0, expiry);
            assertThat(table.size()).isLessThanOrEqualTo(maxKeys);
            long time = now;
            expiries.values().removeIf(e -> e <= time);
        }
        for (long key0 : expiries.keySet()) {
            assertThat(holds(table, key0)).isTrue();
        }
        assertThat(expiries.size()).isLessThanOrEqualTo(maxKeys);
    }

    @Example
    void itFillsToItsBoundWithoutEvicting() {
        Random random = new Random(5);
        Stripe table = table(2000);
        List<Long> keys = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            keys.add(random.nextLong());
            put(table, keys.get(i), 0, NOW + 1, NOW);
        }
        assertThat(table.evictions()).isZero();
        assertThat(table.size()).isEqualTo(2000);
        assertThat(keys).allMatch(key0 -> holds(table, key0));
    }

    @Example
    void theExpiredGoBeforeAnyThatIsAlive() {
        Random random = new Random(6);
        Stripe table = table(1000);
        List<Long> alive = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            long key0 = random.nextLong();
            boolean lives = i % 2 == 0;
            put(table, key0, lives ? 0 : 255, lives ? NOW + 100 : NOW + 10, NOW);
            if (lives) {
                alive.add(key0);
            }
        }
        for (int i = 0; i < 500; i++) {
            put(table, random.nextLong(), 0, NOW + 100, NOW + 10);
        }
        assertThat(table.evictions()).isZero();
        assertThat(alive).allMatch(key0 -> holds(table, key0));
        put(table, random.nextLong(), 0, NOW + 100, NOW + 10);
        assertThat(table.evictions()).isEqualTo(1);
    }

    @Example
    void aFloodEvictsItselfAndNotTheHeavy() {
        Random random = new Random(7);
        Stripe table = table(1000);
        List<Long> heavy = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            heavy.add(random.nextLong());
            put(table, heavy.get(i), 200, NOW + 1, NOW);
        }
        for (int i = 0; i < 100_000; i++) {
            put(table, random.nextLong(), 3, NOW + 1000, NOW);
        }
        assertThat(heavy).allMatch(key0 -> holds(table, key0));
        assertThat(table.evictions()).isEqualTo(100_000 - 700);
        assertThat(table.size()).isEqualTo(1000);
    }

    @Example
    void keysThatDifferOnlyInTheirTagAreTwo() {
        Stripe table = table(100);
        long one = 1L << 41;
        long two = 2L << 41;
        table.write(table.insert(5, one, NOW), one, 0, NOW + 1, 11, 0);
        table.write(table.insert(5, two, NOW), two, 0, NOW + 1, 22, 0);
        assertThat(table.state0(table.find(5, one))).isEqualTo(11);
        assertThat(table.state0(table.find(5, two))).isEqualTo(22);
        assertThat(table.find(5, one | SlotTable.BLOCK)).isNegative();
    }

    @Example
    void theKeyThatWouldMeanAnEmptySlotIsKeptLikeAnother() {
        Stripe table = table(100);
        long key0 = SlotTable.stored(Long.MAX_VALUE);
        put(table, key0, 0, NOW + 1, NOW);
        put(table, Long.MIN_VALUE, 0, NOW + 1, NOW);
        assertThat(holds(table, key0)).isTrue();
        assertThat(holds(table, Long.MIN_VALUE)).isTrue();
    }

    @Example
    void whatNeverExpiresDoesNot() {
        Stripe table = table(1);
        put(table, 1, 0, SlotTable.FOREVER, NOW);
        table.sweep(SlotTable.FOREVER - 1);
        assertThat(holds(table, 1)).isTrue();
    }
}
