package dev.weir.server.settings;

import dev.weir.internal.runtime.HeapShare;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The settings of what the server remembers of its traffic, and of the collector that it tells. */
final class InsightSettings {
    static final Setting<Long> HISTORY_MEMORY = bytes(
            "history_memory",
            "Memory for the history of rules, by the second and by ten seconds; above it, idle rules are forgotten."
                    + " Without it a thirty-second of the heap, at most 48 MiB.",
            "");
    static final Setting<Long> HISTORY_DISK = bytes(
            "history_disk",
            "Disk in data for the history of 14 days, by the minute; above it, the oldest is deleted.",
            "1GiB");
    static final Setting<Long> TOP_KEYS_MEMORY = bytes(
            "top_keys_memory",
            "Memory for the heaviest callers of each rule; above it, those of idle rules are forgotten."
                    + " Without it a sixty-fourth of the heap, at most 16 MiB.",
            "");

    static final Setting<URI> OTLP = Setting.of(
            "otlp",
            "URL",
            "OpenTelemetry collector that gets metrics and traces by OTLP over HTTP; without it, nothing is sent.",
            "",
            "http://host:4318 or https://host",
            TrustSettings::url);
    static final Setting<Boolean> OTLP_METRICS =
            Setting.bool("otlp_metrics", "Send metrics to that collector.", "true");
    static final Setting<Boolean> OTLP_TRACES = Setting.bool(
            "otlp_traces", "Send a span for each decision on a request of a sampled trace to that collector.", "true");
    static final Setting<Duration> OTLP_INTERVAL = Setting.of(
            "otlp_interval",
            "DURATION",
            "Time between two reports of metrics to that collector.",
            "15s",
            "a duration from 1s to 1h",
            SettingParsers.duration(Duration.ofSeconds(1), Duration.ofHours(1)));
    static final Setting<String> OTLP_HEADERS = Setting.of(
            "otlp_headers",
            "SECRET",
            "Headers sent to that collector, name:value,name:value; in weir.yaml or the environment only.",
            "",
            "name:value,name:value",
            text -> text);

    static final List<Setting<?>> ALL = List.of(
            HISTORY_MEMORY,
            HISTORY_DISK,
            TOP_KEYS_MEMORY,
            OTLP,
            OTLP_METRICS,
            OTLP_TRACES,
            OTLP_INTERVAL,
            OTLP_HEADERS);

    private InsightSettings() {}

    private static Setting<Long> bytes(String name, String description, String fallback) {
        return Setting.of(
                name,
                "SIZE",
                description,
                fallback,
                "a size from 1MiB to 1024GiB",
                SettingParsers.size(1L << 20, 1L << 40));
    }

    static Settings.Insight read(SettingsReader reader) {
        return new Settings.Insight(
                reader.orElse(HISTORY_MEMORY, HeapShare.HISTORY.ofThisHeap()),
                reader.value(HISTORY_DISK),
                reader.orElse(TOP_KEYS_MEMORY, HeapShare.TOP_KEYS.ofThisHeap()),
                otlp(reader));
    }

    private static Settings.@Nullable Otlp otlp(SettingsReader reader) {
        URI url = reader.orNull(OTLP);
        Duration interval = reader.value(OTLP_INTERVAL);
        boolean metrics = reader.value(OTLP_METRICS);
        boolean traces = reader.value(OTLP_TRACES);
        Map<String, String> headers = headers(reader);
        return url == null ? null : new Settings.Otlp(url, headers, interval, metrics, traces);
    }

    private static Map<String, String> headers(SettingsReader reader) {
        Map<String, String> headers = new LinkedHashMap<>();
        String given = reader.orNull(OTLP_HEADERS);
        for (String each : given == null ? new String[0] : given.split(",", -1)) {
            int colon = each.indexOf(':');
            String name = colon < 0
                    ? null
                    : SettingParsers.headerName(each.substring(0, colon).trim());
            if (name == null) {
                reader.problem(OTLP_HEADERS, "not a list of headers (expected: name:value,name:value)");
            } else {
                headers.put(name, each.substring(colon + 1).trim());
            }
        }
        return headers;
    }
}
