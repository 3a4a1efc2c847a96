package dev.weir.internal.lease;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.Outcome;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** Event loops that spend one lease while it is closed: every hit is taken once, put back once, or given back once. */
@Param(name = "hits", gen = IntGen.class, conf = "1:3")
public class LeaseLincheckTest {
    private final Lease lease = lease();

    private static Lease lease() {
        Outcome outcome = new Outcome();
        outcome.reset = 1_000_000;
        return Lease.of(Meters.of(Limit.fixedWindow(10, Duration.ofSeconds(1))), 4, outcome, 0, 0, 0, 1_000);
    }

    @Operation
    public boolean take(@Param(name = "hits") int hits) {
        return lease.take(hits, 0, 0);
    }

    @Operation
    public boolean putBack(@Param(name = "hits") int hits) {
        return lease.putBack(hits);
    }

    @Operation
    public boolean takeTooLate(@Param(name = "hits") int hits) {
        return lease.take(hits, 1_000, 0);
    }

    @Operation
    public long close() {
        return lease.close();
    }

    @Test
    void everyInterleavingTriedIsAsIfOneAfterTheOther() {
        new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(3)
                .iterations(10)
                .invocationsPerIteration(200)
                .check(LeaseLincheckTest.class);
    }
}
