package dev.weir.testing.internal.report;

import dev.weir.internal.model.PlainDuration;
import dev.weir.testing.internal.policy.PolicyStep.Ask;
import dev.weir.testing.internal.run.Difference;
import dev.weir.testing.internal.run.PolicyResult;
import java.util.ArrayList;
import java.util.List;

/** Tells of a failed test what was expected, what happened, and why. */
public final class FailureText {
    private FailureText() {}

    /** The first difference in one line: {@code expected: …; happened: …}. */
    public static String line(PolicyResult result) {
        Difference first = result.differences().get(0);
        return "expected: " + first.expected() + "; happened: " + first.happened();
    }

    /** All differences, with the explanation of the first, line by line. */
    public static List<String> of(PolicyResult result) {
        List<String> lines = new ArrayList<>();
        boolean first = true;
        for (Difference each : result.differences()) {
            Ask step = each.step();
            lines.add(result.test().file() + ":" + each.at() + ": "
                    + result.test().name());
            lines.add("  step " + step.number() + ", at " + PlainDuration.exact(step.micros()) + ": ask "
                    + step.request().text(each.request()) + times(step));
            lines.add("  expected: " + each.expected());
            lines.add("  happened: " + each.happened());
            if (first) {
                if (result.explanation().isEmpty()) {
                    first = false;
                    continue;
                }
                long at = step.micros() + (each.request() - 1) * step.everyMicros();
                lines.add("  request " + each.request() + " at " + PlainDuration.exact(at)
                        + (each.why().isEmpty() ? "" : ", " + each.why()) + ":");
                result.explanation().forEach(line -> lines.add("    " + line));
            }
            first = false;
        }
        return lines;
    }

    private static String times(Ask step) {
        if (step.times() == 1) {
            return "";
        }
        return ", " + step.times() + " times"
                + (step.everyMicros() == 0 ? "" : ", every " + PlainDuration.exact(step.everyMicros()));
    }
}
