package dev.weir.server.conformance;

import dev.weir.server.conformance.RlsReply.CurrentLimit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The status that a scenario expects of one descriptor; the time to reset follows from the unit. */
record Expected(ProtocolCode code, @Nullable CurrentLimit limit, long remaining) {

    /** Passed, with {@code remaining} of {@code limit} left. */
    static Expected left(long remaining, long limit, ProtocolUnit unit) {
        return new Expected(ProtocolCode.OK, new CurrentLimit(limit, unit, ""), remaining);
    }

    /** Over the limit. */
    static Expected over(long limit, ProtocolUnit unit) {
        return new Expected(ProtocolCode.OVER_LIMIT, new CurrentLimit(limit, unit, ""), 0);
    }

    /** No rule has anything to say. */
    static Expected noLimit() {
        return new Expected(ProtocolCode.OK, null, 0);
    }

    /** A rule says {@code unlimited}. */
    static Expected unlimited() {
        return new Expected(ProtocolCode.OK, null, 0xFFFF_FFFFL);
    }

    /** The same, by a rule that has a name. */
    Expected by(String name) {
        CurrentLimit l = Objects.requireNonNull(limit);
        return new Expected(code, new CurrentLimit(l.requestsPerUnit(), l.unit(), name), remaining);
    }
}
