package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of metrics keeps the rules that {@code promtool check metrics} checks. */
class MetricNamesTest {
    private static final Pattern HELP = Pattern.compile("# HELP (\\S+) (.+)");
    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (counter|gauge|histogram|summary)");
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{.*})? \\S+");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"(?:[^\"\\\\]|\\\\.)*\"");

    /** Units beside the base ones (seconds, bytes, ratio…), and abbreviations of units. */
    private static final Set<String> WRONG_UNITS = Set.of(
            "milliseconds",
            "microseconds",
            "nanoseconds",
            "minutes",
            "hours",
            "days",
            "weeks",
            "kilobytes",
            "megabytes",
            "gigabytes",
            "kibibytes",
            "mebibytes",
            "bits",
            "percent",
            "s",
            "ms",
            "us",
            "ns",
            "sec",
            "m",
            "h",
            "d",
            "b",
            "kb",
            "mb",
            "gb",
            "kib",
            "mib",
            "gib");

    @Test
    void everyMetricKeepsPrometheussRules(@TempDir Path folder) throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                key_by: user_id
                rules:
                  - { name: all, limit: { requests: 10, window: 1m } }
                """);
        String page;
        String bare;
        try (RedisProcess redis = RedisProcess.start();
                RunningServer server = RunningServer.with(
                        rules,
                        "store",
                        redis.uri(),
                        "data",
                        folder.resolve("data").toString());
                RunningServer alone = RunningServer.with(rules)) {
            page = server.get("/metrics").body();
            bare = alone.get("/metrics").body();
        }
        check(page);
        check(bare);
        assertThat(page).contains("\nratelimit_database_connected 1.0\n");
        assertThat(bare).doesNotContain("ratelimit_database_connected");
    }

    private static void check(String page) {
        Set<String> helped = new HashSet<>();
        Map<String, String> types = new LinkedHashMap<>();
        Set<String> samples = new HashSet<>();
        for (String line : page.lines().toList()) {
            Matcher help = HELP.matcher(line);
            Matcher type = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (help.matches()) {
                assertThat(helped.add(help.group(1))).as("help twice: %s", line).isTrue();
            } else if (type.matches()) {
                assertThat(types.put(type.group(1), type.group(2)))
                        .as("type twice: %s", line)
                        .isNull();
                name(type.group(1), type.group(2));
            } else {
                assertThat(sample.matches()).as(line).isTrue();
                String labels = sample.group(2) == null ? "" : sample.group(2);
                assertThat(samples.add(sample.group(1) + labels))
                        .as("sample twice: %s", line)
                        .isTrue();
                labels(labels, types.getOrDefault(sample.group(1), ""), line);
            }
        }
        assertThat(helped).containsExactlyInAnyOrderElementsOf(types.keySet());
    }

    private static void name(String name, String type) {
        List<String> words = List.of(name.split("_"));
        assertThat(name.endsWith("_total")).as("%s %s", type, name).isEqualTo(type.equals("counter"));
        assertThat(name).as(type).doesNotMatch(".*_(count|sum|bucket)");
        assertThat(name).matches("[a-z0-9_]+");
        assertThat(words).as(name).doesNotContain("counter", "gauge", "histogram", "summary", "info_total");
        assertThat(words).as(name).doesNotContainAnyElementsOf(WRONG_UNITS);
    }

    private static void labels(String labels, String type, String line) {
        Matcher label = LABEL.matcher(labels);
        while (label.find()) {
            assertThat(label.group(1)).as(line).matches("[a-z0-9_]+");
            if (type.equals("counter") || type.equals("gauge")) {
                assertThat(label.group(1)).as(line).isNotIn("le", "quantile");
            }
        }
    }
}
