package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import dev.weir.testkit.ExternalPrograms;
import io.vertx.core.json.JsonObject;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
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

    @Test
    void promtoolFindsNoFaultWithMostFeaturesInUse(@TempDir Path folder) throws Exception {
        Path promtool = ExternalPrograms.program("promtool");
        Path rules = Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                key_by: user_id
                services:
                  database: {}
                  search: { match: { feature: search }, capacity: { requests: 20, window: 10s } }
                rules:
                  - { name: all, limit: { requests: 10, window: 1m } }
                  - { name: leased, match: { feature: leased }, consistency: leased, limit: { requests: 9, window: 1m } }
                  - { name: reported, match: { feature: reported }, consistency: reported, limit: { requests: 9, window: 1m } }
                  - { name: slices, match: { feature: slices }, scope: { slices: { eu: 0.6, us: 0.4 } }, limit: { requests: 90, window: 1m } }
                  - { name: global, match: { feature: global }, scope: global, limit: { requests: 90, window: 1m } }
                  - { name: permits, match: { feature: permits }, limit: { requests: 2, algorithm: concurrency, permit_ttl: 60s } }
                  - name: queue
                    match: { feature: queue }
                    limit: { requests: 1, window: 1s }
                    over: { queue: { max_wait: 5s } }
                  - name: load
                    match: { feature: load }
                    limit: { requests: 4, window: 1h }
                    follows: { service: database, at: { 0.8: 1.0, 0.9: 0.5 } }
                  - name: login
                    match: { feature: login }
                    key_by: ip
                    limit: { requests: 1, window: 1h }
                    escalate: { after: 2, within: 1m, ban: 20s }
                """);
        Path lists = Files.writeString(folder.resolve("addresses.txt"), "192.0.2.0/24\n");
        String page;
        try (RedisProcess redis = RedisProcess.start();
                RedisProcess other = RedisProcess.start()) {
            Path config = Files.writeString(
                    folder.resolve("weir.yaml"),
                    "region: eu\nhome: eu\nfleet_secret: " + "5".repeat(64) + "\nregions:\n  eu: { store: \""
                            + redis.uri() + "\" }\n  us: { store: \"" + other.uri() + "\" }\n");
            try (RunningServer server = RunningServer.with(
                    rules,
                    "config",
                    config.toString(),
                    "data",
                    folder.resolve("data").toString(),
                    "ban_lists",
                    lists.toString(),
                    "decisions_file",
                    folder.resolve("decisions.jsonl").toString())) {
                for (String feature : List.of(
                        "leased",
                        "reported",
                        "slices",
                        "global",
                        "permits",
                        "queue",
                        "search",
                        "load",
                        "login",
                        "login")) {
                    JsonObject request = new JsonObject()
                            .put("user_id", "u")
                            .put("ip", "198.51.100.7")
                            .put("feature", feature);
                    assertThat(server.http.check(request).statusCode()).isLessThan(500);
                }
                page = server.get("/metrics").body();
            }
        }
        check(page);
        Process process = new ProcessBuilder(promtool.toString(), "check", "metrics")
                .redirectErrorStream(true)
                .start();
        try (Writer out = process.outputWriter()) {
            out.write(page);
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).isEmpty();
        assertThat(page.lines().filter(each -> each.startsWith("# TYPE")).count())
                .as("metrics")
                .isGreaterThan(100);
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
