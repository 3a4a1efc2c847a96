package dev.weir.server.metrics;

/** Writes Prometheus's text format, version 0.0.4. */
public final class Exposition {
    private final StringBuilder text = new StringBuilder(8_192);

    /** Starts a metric; its samples must follow. */
    public Exposition metric(String name, String type, String help) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        return this;
    }

    /** Writes a sample; {@code labels} comes from {@link #labels}. */
    public Exposition sample(String name, String labels, long value) {
        text.append(name).append(labels).append(' ').append(value).append('\n');
        return this;
    }

    /** Writes a sample with a fraction. */
    public Exposition sample(String name, String labels, double value) {
        text.append(name).append(labels).append(' ').append(value).append('\n');
        return this;
    }

    /** Appends samples that another writer has made. */
    public Exposition append(String samples) {
        text.append(samples);
        return this;
    }

    /** Formats names and values in turn as <code>{name="value",…}</code>, with the values escaped. */
    public static String labels(String... namesAndValues) {
        StringBuilder labels = new StringBuilder("{");
        for (int i = 0; i < namesAndValues.length; i += 2) {
            labels.append(i == 0 ? "" : ",").append(namesAndValues[i]).append("=\"");
            String value = namesAndValues[i + 1];
            for (int at = 0; at < value.length(); at++) {
                char c = value.charAt(at);
                switch (c) {
                    case '\\' -> labels.append("\\\\");
                    case '"' -> labels.append("\\\"");
                    case '\n' -> labels.append("\\n");
                    default -> labels.append(c);
                }
            }
            labels.append('"');
        }
        return labels.append('}').toString();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
