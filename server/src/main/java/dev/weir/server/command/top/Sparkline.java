package dev.weir.server.command.top;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Draws numbers as bars of one character each. */
final class Sparkline {
    private static final String BARS = "▁▂▃▄▅▆▇█";

    private Sparkline() {}

    /** One bar per value, the highest of them full; a gap where there is none. */
    static String of(List<@Nullable Double> values) {
        double most = values.stream()
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
        StringBuilder line = new StringBuilder();
        for (Double each : values) {
            line.append(each == null ? ' ' : bar(each, most));
        }
        return line.toString();
    }

    private static char bar(double value, double most) {
        int level = most <= 0 ? 0 : (int) Math.ceil(value / most * (BARS.length() - 1));
        return BARS.charAt(Math.max(0, Math.min(BARS.length() - 1, level)));
    }
}
