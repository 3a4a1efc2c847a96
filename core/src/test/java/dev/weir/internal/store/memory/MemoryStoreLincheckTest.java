package dev.weir.internal.store.memory;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** Every interleaving of requests that Lincheck tries must look as if they had come one after the other. */
@Param(name = "key", gen = IntGen.class, conf = "0:5")
public class MemoryStoreLincheckTest {
    private static final long T0 = 1_700_000_000_000_000L;
    private static final Meter BUCKET = Meters.of(Limit.tokenBucket(2, Duration.ofHours(1)));
    private static final Meter LOG = Meters.of(Limit.of(Algorithm.SLIDING_WINDOW_LOG, 2, Duration.ofHours(1)));

    private final MemoryStore store = new MemoryStore(8192); // four stripes: two of the keys share theirs with another

    @Operation
    public long take(@Param(name = "key") int key) {
        Checks checks = new Checks();
        fill(checks.add(), key, BUCKET);
        boolean allowed = store.decide(checks, T0);
        return allowed ? checks.get(0).outcome.remaining : -1;
    }

    @Operation
    public String takeBoth(@Param(name = "key") int one, @Param(name = "key") int other) {
        Checks checks = new Checks();
        fill(checks.add(), one, BUCKET);
        fill(checks.add(), other, BUCKET);
        boolean allowed = store.decide(checks, T0);
        return allowed + " " + checks.get(0).outcome.remaining + " " + checks.get(1).outcome.remaining;
    }

    @Operation
    public boolean takeFromLog(@Param(name = "key") int key) {
        Checks checks = new Checks();
        fill(checks.add(), key, LOG);
        return store.decide(checks, T0);
    }

    private static void fill(Check check, int key, Meter meter) {
        check.key0 = key * 0x9e3779b97f4a7c15L;
        check.key1 = key;
        check.meter = meter;
        check.hits = 1;
    }

    @Test
    void requestsAreAtomicInEveryInterleavingTried() {
        new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(1)
                .iterations(3)
                .invocationsPerIteration(60)
                .check(MemoryStoreLincheckTest.class);
    }
}
