package dev.weir.control.decisions;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The decisions that leave the server, and their destinations.
 *
 * @param file null: none
 * @param kafka null: none
 * @param sample one request in this many, with all its checks; 0: none
 * @param denials every check that was over its limit, sampled or not
 * @param key how the counter's values are shown
 * @param secret the key of {@link KeyShown#HASH}; null: the bucket that callers receive
 * @param node the name of this server
 * @param region the region of this server; null if it is in none
 * @param requests the requests that are written, to be replayed
 * @param plainAttributes the attributes of requests that are written as they are, and not hashed
 * @param buffer the number of requests that may wait to be written; more are dropped and counted
 */
public record DecisionSinkSettings(
        @Nullable File file,
        @Nullable Kafka kafka,
        int sample,
        boolean denials,
        KeyShown key,
        @Nullable String secret,
        String node,
        @Nullable String region,
        Requests requests,
        Set<String> plainAttributes,
        int buffer) {

    public DecisionSinkSettings {
        plainAttributes = Set.copyOf(plainAttributes);
    }

    /** The requests that are written, one line each. */
    public enum Requests {
        NONE,
        /** Every request. */
        ALL,
        /** The requests of one caller in {@link DecisionSinkSettings#sample}. */
        SAMPLE;

        /** The name in settings and lines. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The way in which a line shows its counter. */
    public enum KeyShown {
        /** As a hash: the same caller is recognised, but not named. */
        HASH,
        /** As values, {@code api_key=abc}. */
        PLAIN,
        /** Not at all. */
        NONE
    }

    /**
     * A file of JSON lines.
     *
     * @param size the size in bytes from which a new file begins
     * @param age the time after the first line at which a new file begins
     * @param kept the number of older files that are kept
     */
    public record File(Path path, long size, Duration age, int kept) {}

    /**
     * A Kafka topic.
     *
     * @param servers {@code host:port}, joined by commas
     * @param acks {@code 0}, {@code 1} or {@code all}
     * @param properties producer properties, for example for SASL
     */
    public record Kafka(String servers, String topic, String acks, Map<String, String> properties) {
        public Kafka {
            properties = Map.copyOf(properties);
        }

        /** Returns the address without the properties, which may hold passwords. */
        @Override
        public String toString() {
            return "kafka://" + servers + "/" + topic;
        }
    }

    /** Returns whether anything is written at all. */
    public boolean isOn() {
        return (file != null || kafka != null) && (sample > 0 || denials || requests != Requests.NONE);
    }

    /** Returns the settings without the secret. */
    @Override
    public String toString() {
        return "DecisionSinkSettings[file=" + file + ", kafka=" + kafka + ", sample=" + sample + ", denials=" + denials
                + ", requests=" + requests + "]";
    }
}
