package dev.weir.simulation.scenario;

import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode.Scalar;

/** Reads decimal numbers and rates from fields. */
final class Decimals {
    private Decimals() {}

    /** Reads a number from {@code least} to {@code most}. */
    static double read(Fields fields, String name, double otherwise, double least, double most) {
        Scalar scalar = fields.scalar(name);
        if (scalar == null) {
            return otherwise;
        }
        try {
            double value = Double.parseDouble(scalar.text());
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException notOne) {
            // Reported below like a number that is out of range.
        }
        String range = most == Double.MAX_VALUE ? ">= " + least : "from " + least + " to " + most;
        fields.problems().error(scalar.at(), name + ": '" + scalar.text() + "'", "expected: a number " + range);
        return otherwise;
    }

    /** Reads requests per second, written {@code 100/s}, {@code 6000/m} or {@code 1/h}. */
    static double rate(Fields fields, String name) {
        Scalar scalar = fields.scalar(name);
        if (scalar == null) {
            fields.problems().error(fields.at(), name + ": missing", "expected: a rate such as 100/s");
            return 1;
        }
        String text = scalar.text().replace("_", "");
        int slash = text.indexOf('/');
        double seconds = slash < 0
                ? 0
                : switch (text.substring(slash + 1).trim()) {
                    case "s" -> 1;
                    case "m" -> 60;
                    case "h" -> 3600;
                    default -> 0;
                };
        try {
            double rate = seconds == 0 ? 0 : Double.parseDouble(text.substring(0, slash)) / seconds;
            if (rate > 0 && rate < 1e9) {
                return rate;
            }
        } catch (NumberFormatException notOne) {
            // Reported below.
        }
        fields.problems().error(scalar.at(), name + ": '" + scalar.text() + "'", "expected: a rate such as 100/s");
        return 1;
    }
}
