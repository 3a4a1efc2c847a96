package dev.weir.server.access;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Calls that were turned away, by the reason. */
public final class RefusedCalls {
    private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);

    /** Why. */
    public enum Reason {
        /** No token, where one is needed. */
        NO_TOKEN,
        /** A token that is none. */
        WRONG_TOKEN,
        /** A token that has run out. */
        EXPIRED_TOKEN,
        /** Too many wrong ones from the same address. */
        THROTTLED,
        /** A role that may not. */
        ROLE,
        /** A name of this server that somebody else could have given it. */
        HOST,
        /** A change that a page of another site wanted. */
        CROSS_SITE;

        /** As metrics have it. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public RefusedCalls() {
        for (Reason each : Reason.values()) {
            counts.put(each, new LongAdder());
        }
    }

    void count(Reason reason) {
        adder(reason).increment();
    }

    public long of(Reason reason) {
        return adder(reason).sum();
    }

    private LongAdder adder(Reason reason) {
        LongAdder adder = counts.get(reason);
        if (adder == null) {
            throw new IllegalStateException(reason.name());
        }
        return adder;
    }
}
