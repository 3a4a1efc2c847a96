package dev.weir.server.conformance;

import dev.weir.server.conformance.Reply.CurrentLimit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a scenario expects of one descriptor's status; the time to reset follows from the unit. */
record Expected(Code code, @Nullable CurrentLimit limit, long remaining) {

    /** Passed, with {@code remaining} of {@code limit} left. */
    static Expected left(long remaining, long limit, Unit unit) {
        return new Expected(Code.OK, new CurrentLimit(limit, unit, ""), remaining);
    }

    /** Over the limit. */
    static Expected over(long limit, Unit unit) {
        return new Expected(Code.OVER_LIMIT, new CurrentLimit(limit, unit, ""), 0);
    }

    /** No rule has anything to say. */
    static Expected noLimit() {
        return new Expected(Code.OK, null, 0);
    }

    /** A rule says {@code unlimited}. */
    static Expected unlimited() {
        return new Expected(Code.OK, null, 0xFFFF_FFFFL);
    }

    /** The same, by a rule that has a name. */
    Expected by(String name) {
        CurrentLimit l = Objects.requireNonNull(limit);
        return new Expected(code, new CurrentLimit(l.requestsPerUnit(), l.unit(), name), remaining);
    }
}
