package dev.weir.control.decisions;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which decisions leave the server, and where to.
 *
 * @param file null: none
 * @param kafka null: none
 * @param sample one request in this many, with all its checks; 0: none
 * @param denials every check that was over its limit, sampled or not
 * @param key how the counter's values are shown
 * @param secret what {@link KeyShown#HASH} is keyed with; null: the bucket that callers are told
 * @param node what this server is called
 * @param buffer requests that wait to be written; more are dropped, and counted
 */
public record DecisionSinkSettings(
        @Nullable File file,
        @Nullable Kafka kafka,
        int sample,
        boolean denials,
        KeyShown key,
        @Nullable String secret,
        String node,
        int buffer) {

    /** How a line tells which counter it is about. */
    public enum KeyShown {
        /** By a hash: the same caller is recognised, and not named. */
        HASH,
        /** By its values, {@code api_key=abc}. */
        PLAIN,
        /** Not at all. */
        NONE
    }

    /**
     * JSON lines in a file.
     *
     * @param size bytes after which another file begins
     * @param age how long after its first line another file begins
     * @param kept files that stay beside the one being written
     */
    public record File(Path path, long size, Duration age, int kept) {}

    /**
     * A topic of Kafka.
     *
     * @param servers {@code host:port}, joined by commas
     * @param acks {@code 0}, {@code 1} or {@code all}
     * @param properties of the producer: what a cluster asks of its clients, such as SASL
     */
    public record Kafka(String servers, String topic, String acks, Map<String, String> properties) {
        public Kafka {
            properties = Map.copyOf(properties);
        }

        /** Without the properties, for there are passwords among them. */
        @Override
        public String toString() {
            return "kafka://" + servers + "/" + topic;
        }
    }

    /** Whether anything is to be written anywhere. */
    public boolean isOn() {
        return (file != null || kafka != null) && (sample > 0 || denials);
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "DecisionSinkSettings[file=" + file + ", kafka=" + kafka + ", sample=" + sample + ", denials=" + denials
                + "]";
    }
}
