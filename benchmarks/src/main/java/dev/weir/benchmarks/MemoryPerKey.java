package dev.weir.benchmarks;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import org.openjdk.jol.info.GraphLayout;

/**
 * Fills a store with keys and prints the memory per key, as JOL measures everything reachable from the store. The bound
 * (twice the keys) lets the tables grow at their own pace.
 */
public final class MemoryPerKey {
    private MemoryPerKey() {}

    public static void main(String[] args) {
        int keys = args.length > 0 ? Integer.parseInt(args[0]) : 10_000_000;
        MemoryStore store = new MemoryStore(2 * keys);
        Checks checks = new Checks();
        CounterKeyHash hash = new CounterKeyHash();
        Check check = checks.add();
        check.meter = Meters.of(Limit.tokenBucket(100, Duration.ofHours(1)));
        check.hits = 1;
        double most = 0;
        for (int i = 1; i <= keys; i++) {
            hash.reset().add("user").add(i).end();
            check.key0 = hash.key0();
            check.key1 = hash.key1();
            store.decide(checks, 1_700_000_000_000_000L);
            if (i >= keys / 2 && i % (keys / 20) == 0) {
                double bytes = (double) GraphLayout.parseInstance(store).totalSize() / i;
                most = Math.max(most, bytes);
                System.out.printf("%,12d keys: %.1f bytes a key%n", i, bytes);
            }
        }
        System.out.printf("at most %.1f bytes a key (budget: 48), evictions: %d%n", most, store.evictions());
    }
}
