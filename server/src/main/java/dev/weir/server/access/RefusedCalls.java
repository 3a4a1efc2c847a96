package dev.weir.server.access;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts refused calls by reason. */
public final class RefusedCalls {
    private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);

    /** The reason of a refusal. */
    public enum Reason {
        /** A token is required and missing. */
        NO_TOKEN,
        /** The token is not valid. */
        WRONG_TOKEN,
        /** The token has expired. */
        EXPIRED_TOKEN,
        /** Too many wrong tokens from the same address. */
        THROTTLED,
        /** The role lacks the permission. */
        ROLE,
        /** The Host is not a loopback name. */
        HOST,
        /** A page of another site requested a change. */
        CROSS_SITE;

        /** The label value in metrics. */
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
