package dev.weir.server.topkeys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HeavyKeeperTest {

    @Test
    void countsExactlyWhileTheTableHoldsAllKeys() {
        HeavyKeeper keeper = new HeavyKeeper(7);
        Random random = new Random(1);
        Map<Long, Integer> exact = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            long key = random.nextInt(HeavyKeeper.TABLE);
            int weight = 1 + random.nextInt(3);
            exact.merge(key, weight, Integer::sum);
            assertThat(keeper.add(key, weight)).isTrue();
        }
        exact.forEach((key, count) -> assertThat(keeper.count(key)).isEqualTo(count));
        assertThat(keeper.size()).isEqualTo(exact.size());
    }

    @Test
    void takesFewKilobytesAtFirstAndTwelveAtMost() {
        HeavyKeeper keeper = new HeavyKeeper(7);
        assertThat(keeper.bytes()).isLessThan(512);
        for (long key = 0; key < 100_000; key++) {
            keeper.add(key, 1);
        }
        assertThat(keeper.bytes()).isLessThan(12 << 10);
    }

    @Test
    void aFloodOfNewKeysPushesNoHeavyKeyOut() {
        HeavyKeeper keeper = new HeavyKeeper(7);
        Random random = new Random(2);
        for (int round = 0; round < 2_000; round++) {
            for (long heavy = 1; heavy <= 100; heavy++) {
                keeper.add(heavy, 1);
            }
            for (int flood = 0; flood < 500; flood++) {
                keeper.add(random.nextLong(), 1);
            }
        }
        for (long heavy = 1; heavy <= 100; heavy++) {
            assertThat(keeper.count(heavy)).isBetween(1_900, 2_000);
        }
    }

    @Test
    void aHeavyKeyThatComesLateEnters() {
        HeavyKeeper keeper = new HeavyKeeper(7);
        for (int round = 0; round < 50; round++) {
            for (long key = 0; key < 1_000; key++) {
                keeper.add(key, 1);
            }
        }
        for (int i = 0; i < 5_000; i++) {
            keeper.add(-1, 1);
        }
        assertThat(keeper.count(-1)).isBetween(4_700, 5_000);
    }

    @Test
    void aHeavyKeyEntersWhateverOtherHeavyKeysItSharesItsCellsWith() {
        for (int seed = 0; seed < 200; seed++) {
            HeavyKeeper keeper = new HeavyKeeper(seed);
            for (int round = 0; round < 1_000; round++) {
                for (long key = 0; key < HeavyKeeper.TABLE; key++) {
                    keeper.add(key, 1);
                }
                keeper.add(1_000 + round, 1);
            }
            for (int i = 0; i < 2_000; i++) {
                keeper.add(-1, 1);
            }
            assertThat(keeper.count(-1)).as("seed %d", seed).isBetween(1_900, 2_000);
        }
    }

    @Test
    void aCountIsHardlyEverTooHigh() {
        HeavyKeeper keeper = new HeavyKeeper(7);
        Random random = new Random(3);
        Map<Long, Integer> exact = new HashMap<>();
        for (int i = 0; i < 400_000; i++) {
            long key = (long) (1 / (1 - random.nextDouble()));
            exact.merge(key, 1, Integer::sum);
            keeper.add(key, 1);
        }
        int over = 0;
        for (int i = 0; i < keeper.size(); i++) {
            over += keeper.countAt(i) > exact.getOrDefault(keeper.key(i), 0) ? 1 : 0;
        }
        assertThat(over).isLessThanOrEqualTo(1);
    }
}
