package dev.weir.simulation.scenario;

import dev.weir.text.fields.Durations;
import dev.weir.text.fields.Fields;
import java.util.concurrent.TimeUnit;

/** Reads durations of virtual time, bounded so that nanoseconds do not overflow and a run ends. */
final class VirtualDurations {
    private static final long LONGEST = TimeUnit.DAYS.toMicros(365);

    private VirtualDurations() {}

    /** The microseconds of the field; {@code otherwise} if it is missing or invalid. */
    static long micros(Fields fields, String name, long otherwise) {
        Long micros = fields.duration(name);
        if (micros != null && micros > LONGEST) {
            fields.problems()
                    .error(
                            fields.at(name),
                            name + ": " + fields.text(name),
                            "expected: at most " + Durations.text(LONGEST));
        }
        return micros == null ? otherwise : Math.min(micros, LONGEST);
    }
}
