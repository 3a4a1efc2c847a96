package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.ENHANCE_YOUR_CALM;

import io.netty.handler.codec.http2.Http2Exception;

/**
 * What a peer may send beside requests. Frames that make work and ask for nothing are paid from an allowance that time refills,
 * and so does every call that is answered: a busy client may ping and reset as busily as it asks, and one that asks for
 * nothing soon runs out.
 */
final class FloodProtection {
    private static final int SETTINGS_COST = 10;
    private static final int CONTROL_PER_CALL = 4;
    /** In these an allowance for resets is counted, so that a call given up can cost less than a stream opened in vain. */
    private static final int RESET_COST = 64;

    private final int mostControl;
    private final int mostResets;
    private int control;
    private int resets;

    FloodProtection(GrpcServerSettings.Bounds bounds) {
        this.mostControl = bounds.controlFrames();
        this.mostResets = bounds.resets() * RESET_COST;
        this.control = mostControl;
        this.resets = mostResets;
    }

    void control(String what) throws Http2Exception {
        spend(1, what);
    }

    void settings() throws Http2Exception {
        spend(SETTINGS_COST, "SETTINGS");
    }

    /** A stream was opened in vain: the peer gave it up, or we had to refuse it. */
    void reset() throws Http2Exception {
        spendReset(RESET_COST);
    }

    /**
     * A whole call was given up, which asked for something as others do: after a pause of ours a busy client has given up
     * hundreds, and it is no flood.
     */
    void givenUp() throws Http2Exception {
        spendReset(1);
    }

    private void spendReset(int cost) throws Http2Exception {
        resets -= cost;
        if (resets < 0) {
            throw Http2Exception.connectionError(ENHANCE_YOUR_CALM, "too many streams reset");
        }
    }

    void answered() {
        control = Math.min(mostControl, control + CONTROL_PER_CALL);
        resets = Math.min(mostResets, resets + RESET_COST);
    }

    /** A second has passed. */
    void refill() {
        control = Math.min(mostControl, control + mostControl / 10);
        resets = Math.min(mostResets, resets + mostResets / 10);
    }

    private void spend(int cost, String what) throws Http2Exception {
        control -= cost;
        if (control < 0) {
            throw Http2Exception.connectionError(ENHANCE_YOUR_CALM, "too many %s frames", what);
        }
    }
}
