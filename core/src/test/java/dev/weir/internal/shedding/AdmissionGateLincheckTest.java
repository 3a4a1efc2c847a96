package dev.weir.internal.shedding;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Every interleaving of calls that Lincheck tries must look as if they had come one after the other. */
public class AdmissionGateLincheckTest {
    /** Of the 20 calls that a new gate admits, two are left. */
    private static final double SHARE = 0.1;

    private final AdmissionGate gate = new AdmissionGate(0, 0);

    @Operation
    public boolean enter() {
        return gate.tryEnter(SHARE, 0);
    }

    @Operation
    public void leave() {
        gate.leave(0, 1, false);
    }

    @Operation
    public int inFlight() {
        return gate.inFlight();
    }

    @Test
    void noMoreCallsThanTheLimitInEveryInterleavingTried() {
        new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(1)
                .iterations(5)
                .invocationsPerIteration(200)
                .check(AdmissionGateLincheckTest.class);
    }
}
