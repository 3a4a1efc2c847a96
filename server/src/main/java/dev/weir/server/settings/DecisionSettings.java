package dev.weir.server.settings;

import dev.weir.control.decisions.DecisionSinkSettings;
import dev.weir.control.decisions.DecisionSinkSettings.KeyShown;
import dev.weir.control.decisions.DecisionSinkSettings.Requests;
import dev.weir.control.decisions.IdentityHash;
import dev.weir.control.decisions.KafkaAddress;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The settings of the decision sink. */
final class DecisionSettings {
    static final Setting<Path> FILE = Setting.file(
            "decisions_file", "Write decisions as JSON lines to this file, which is rotated by size and age.");
    static final Setting<String> KAFKA = Setting.of(
            "decisions_kafka",
            "URL",
            "Write decisions as JSON lines to a Kafka topic: kafka://h1:9092,h2:9092/topic.",
            "",
            "kafka://host:9092[,host:9092]/topic",
            text -> text);
    static final Setting<Boolean> DENIALS =
            Setting.bool("decisions_denials", "Write every check that was over its limit.", "true");
    static final Setting<Integer> SAMPLE = Setting.integer(
            "decisions_sample",
            "Write one request in N with all its checks; 1: every request, 0: none.",
            "0",
            0,
            1_000_000_000);
    static final Setting<Requests> REQUESTS = Setting.of(
            "decisions_requests",
            "WHICH",
            "Write requests too, for weir replay: none, all, or sample (all of one caller in decisions_sample).",
            "none",
            "none, all or sample",
            SettingParsers.constant(Requests.values()));
    static final Setting<Set<String>> PLAIN = Setting.of(
            "decisions_plain",
            "NAMES",
            "Attributes of requests that are written as they are; others are hashed.",
            String.join(",", IdentityHash.PLAIN),
            "names of attributes, joined by commas",
            text -> Arrays.stream(text.split(",", -1)).map(String::strip).collect(Collectors.toUnmodifiableSet()));
    static final Setting<KeyShown> KEY = Setting.of(
            "decisions_key",
            "HOW",
            "How a line names the caller: hash, plain or none.",
            "hash",
            "hash, plain or none",
            SettingParsers.constant(KeyShown.values()));
    static final Setting<String> SECRET = Setting.secret(
            "decisions_secret", "Key of the hash, the same on all servers; in weir.yaml or the environment only.");
    static final Setting<Integer> BUFFER = Setting.integer(
            "decisions_buffer",
            "Requests that may wait to be written; further ones are dropped and counted.",
            "8192",
            64,
            1_000_000);
    static final Setting<Long> FILE_SIZE = Setting.of(
            "decisions_file_size",
            "SIZE",
            "Size at which the file is rotated.",
            "64MiB",
            "a size from 64KiB to 1024GiB",
            SettingParsers.size(64L << 10, 1L << 40));
    static final Setting<Duration> FILE_AGE = Setting.of(
            "decisions_file_age",
            "DURATION",
            "Age at which the file is rotated.",
            "1d",
            "a duration from 1m to 365d",
            SettingParsers.duration(Duration.ofMinutes(1), Duration.ofDays(365)));
    static final Setting<Integer> FILES_KEPT =
            Setting.integer("decisions_files_kept", "Rotated files to keep.", "7", 0, 10_000);
    static final Setting<String> KAFKA_ACKS = Setting.of(
            "decisions_kafka_acks",
            "ACKS",
            "Kafka's acks: brokers that must confirm a line before it counts as written (0, 1 or all).",
            "all",
            "0, 1 or all",
            text -> List.of("0", "1", "all").contains(text) ? text : null);
    static final Setting<Path> KAFKA_PROPERTIES = Setting.file(
            "decisions_kafka_properties", "Properties file for Kafka's producer, such as security.protocol.");
    static final Setting<String> NODE = Setting.of(
            "node",
            "NAME",
            "Name of this server in decision lines; without it, the host name.",
            "",
            "up to 100 letters, digits, dots, - and _",
            text -> text.matches("[A-Za-z0-9._-]{1,100}") ? text : null);

    static final List<Setting<?>> ALL = List.of(
            FILE,
            KAFKA,
            DENIALS,
            SAMPLE,
            REQUESTS,
            PLAIN,
            KEY,
            SECRET,
            BUFFER,
            FILE_SIZE,
            FILE_AGE,
            FILES_KEPT,
            KAFKA_ACKS,
            KAFKA_PROPERTIES,
            NODE);

    private DecisionSettings() {}

    static DecisionSinkSettings read(SettingsReader reader, @Nullable String region) {
        Path path = reader.orNull(FILE);
        long size = reader.value(FILE_SIZE);
        Duration age = reader.value(FILE_AGE);
        int kept = reader.value(FILES_KEPT);
        String secret = reader.orNull(SECRET);
        String node = reader.orNull(NODE);
        int sample = reader.value(SAMPLE);
        KeyShown key = reader.value(KEY);
        Requests requests = reader.value(REQUESTS);
        if (requests == Requests.SAMPLE && sample == 0) {
            reader.problem(REQUESTS, "sample (expected: decisions_sample of 1 or more beside it)");
        }
        if (requests != Requests.NONE && key == KeyShown.NONE) {
            reader.problem(REQUESTS, requests.text() + " (expected: decisions_key hash or plain beside it)");
        }
        return new DecisionSinkSettings(
                path == null ? null : new DecisionSinkSettings.File(path, size, age, kept),
                kafka(reader),
                sample,
                reader.value(DENIALS),
                key,
                secret == null || secret.isEmpty() ? null : secret,
                node == null ? host() : node,
                region,
                requests,
                reader.value(PLAIN),
                reader.value(BUFFER));
    }

    private static DecisionSinkSettings.@Nullable Kafka kafka(SettingsReader reader) {
        String url = reader.orNull(KAFKA);
        String acks = reader.value(KAFKA_ACKS);
        Map<String, String> properties = properties(reader);
        reader.needs(KAFKA_PROPERTIES, KAFKA);
        if (url == null) {
            return null;
        }
        try {
            KafkaAddress address = KafkaAddress.parse(url);
            return new DecisionSinkSettings.Kafka(address.servers(), address.topic(), acks, properties);
        } catch (IllegalArgumentException e) {
            reader.problem(KAFKA, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static Map<String, String> properties(SettingsReader reader) {
        Path file = reader.orNull(KAFKA_PROPERTIES);
        Map<String, String> read = new HashMap<>();
        if (file != null) {
            try (Reader text = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                Properties properties = new Properties();
                properties.load(text);
                properties.stringPropertyNames().forEach(name -> read.put(name, properties.getProperty(name)));
            } catch (IOException e) {
                reader.problem(KAFKA_PROPERTIES, file + ": cannot be read: " + FileErrors.why(e));
            } catch (IllegalArgumentException e) {
                reader.problem(KAFKA_PROPERTIES, file + ": " + e.getMessage());
            }
        }
        return read;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
