package dev.weir.testing.internal.policy;

import dev.weir.internal.model.BanKind;
import dev.weir.text.diagnostics.Position;

/** Something that happens in a test at a moment. */
public sealed interface PolicyStep {

    /** Where the file says so. */
    Position at();

    /** When it happens, microseconds after the start of the test. */
    long micros();

    /**
     * Requests.
     *
     * @param number the position among the steps of its test, from 1
     * @param times how many requests
     * @param everyMicros the time between two of them
     */
    record Ask(
            Position at,
            int number,
            long micros,
            int times,
            long everyMicros,
            RequestTemplate request,
            Expectation expect)
            implements PolicyStep {

        /** When the last request is sent. */
        public long lastMicros() {
            return micros + (times - 1) * everyMicros;
        }
    }

    /** The utilisation of a service, from 0 to 1 and more, until the next one. */
    record Load(Position at, long micros, String service, double utilisation) implements PolicyStep {}

    /**
     * An entry that bans or exempts a caller.
     *
     * @param domain where it holds; empty for all domains
     * @param forMicros how long; 0 for ever
     */
    record Banned(
            Position at,
            long micros,
            BanKind kind,
            String attribute,
            String value,
            String domain,
            long forMicros,
            String reason)
            implements PolicyStep {}

    /** The end of the entries of a caller. */
    record Lifted(Position at, long micros, String attribute, String value) implements PolicyStep {}

    /** A time in which a Redis cannot be reached. */
    record Unreachable(Position at, long micros, String store, long forMicros) implements PolicyStep {}
}
