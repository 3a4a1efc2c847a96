package dev.weir.internal.model;

import dev.weir.Request;

/** The yes-or-no details of a request between {@code weir-remote} and a server, as the bits of a number. */
public final class RequestFlags {
    private static final long ATTRIBUTES = 1;
    private static final long TAKES_NOTHING = 2;
    private static final long WITHOUT_PERMITS = 4;
    private static final long CHARGED_IN_FULL = 8;

    private RequestFlags() {}

    /** The flags of {@code request}; 0 for a plain one. */
    public static long of(Request request) {
        return (request.isAttributes() ? ATTRIBUTES : 0)
                | (request.takesNothing() ? TAKES_NOTHING : 0)
                | (request.takesPermits() ? 0 : WITHOUT_PERMITS)
                | (request.isChargedInFull() ? CHARGED_IN_FULL : 0);
    }

    /** Sets {@code flags} in {@code request}; unknown ones have no effect. */
    public static void set(long flags, Request request) {
        if ((flags & ATTRIBUTES) != 0) {
            request.asAttributes();
        }
        if ((flags & TAKES_NOTHING) != 0) {
            request.takeNothing();
        }
        if ((flags & WITHOUT_PERMITS) != 0) {
            request.withoutPermits();
        }
        if ((flags & CHARGED_IN_FULL) != 0) {
            request.chargeInFull();
        }
    }

    /** A number as protobuf's {@code sint64}, in which small negative ones are short. */
    public static long zigzag(long number) {
        return number << 1 ^ number >> 63;
    }

    /** Reverses {@link #zigzag}. */
    public static long unzigzag(long number) {
        return number >>> 1 ^ -(number & 1);
    }
}
