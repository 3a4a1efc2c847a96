package dev.weir.simulation.scenario;

import dev.weir.text.fields.Durations;
import dev.weir.text.fields.Fields;
import java.util.concurrent.TimeUnit;

/** Lengths of virtual time: so short that their nanoseconds add up to numbers, and that a run ends. */
final class VirtualDurations {
    private static final long LONGEST = TimeUnit.DAYS.toMicros(365);

    private VirtualDurations() {}

    /** The microseconds that the field holds; {@code otherwise} where it is not there, or wrong. */
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
