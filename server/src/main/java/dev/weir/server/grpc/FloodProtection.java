package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.ENHANCE_YOUR_CALM;

import io.netty.handler.codec.http2.Http2Exception;

/**
 * Limits the frames that a peer sends besides requests.
 *
 * <p>Control frames and resets are paid from an allowance. Time refills it, and so does every answered call. A busy
 * client may therefore ping and reset in proportion to its calls; a client that makes no calls soon runs out.
 */
final class FloodProtection {
    private static final int SETTINGS_COST = 10;
    private static final int CONTROL_PER_CALL = 4;
    /** Units of the reset allowance per stream opened in vain. A cancelled whole call costs one unit. */
    private static final int RESET_COST = 64;

    private final int maxControl;
    private final int maxResets;
    private int control;
    private int resets;

    FloodProtection(GrpcServerSettings.Bounds bounds) {
        this.maxControl = bounds.controlFrames();
        this.maxResets = bounds.resets() * RESET_COST;
        this.control = maxControl;
        this.resets = maxResets;
    }

    void control(String what) throws Http2Exception {
        spend(1, what);
    }

    void settings() throws Http2Exception {
        spend(SETTINGS_COST, "SETTINGS");
    }

    /**
     * Charges for a stream opened in vain: the peer reset it before its request was complete, or the server refused it.
     */
    void reset() throws Http2Exception {
        spendReset(RESET_COST);
    }

    /**
     * Charges for a cancelled whole call. It costs little: after a pause of this server a busy client may cancel
     * hundreds of calls, and that is not a flood.
     */
    void cancelled() throws Http2Exception {
        spendReset(1);
    }

    private void spendReset(int cost) throws Http2Exception {
        resets -= cost;
        if (resets < 0) {
            throw Http2Exception.connectionError(ENHANCE_YOUR_CALM, "too many streams reset");
        }
    }

    void answered() {
        control = Math.min(maxControl, control + CONTROL_PER_CALL);
        resets = Math.min(maxResets, resets + RESET_COST);
    }

    /** Refills the allowance; to be called once a second. */
    void refill() {
        control = Math.min(maxControl, control + maxControl / 10);
        resets = Math.min(maxResets, resets + maxResets / 10);
    }

    private void spend(int cost, String what) throws Http2Exception {
        control -= cost;
        if (control < 0) {
            throw Http2Exception.connectionError(ENHANCE_YOUR_CALM, "too many %s frames", what);
        }
    }
}
