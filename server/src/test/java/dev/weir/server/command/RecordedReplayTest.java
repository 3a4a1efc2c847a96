package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real server records what it decides; a replay with its own rules decides the very same. A rule with a long window
 * denies however fast this machine asks.
 */
class RecordedReplayTest {
    private static final String RULES = """
            domain: api
            key_by: user_id
            rules:
              - { name: bucket, match: { endpoint: /bucket }, limit: { requests: %1$d, window: 100ms } }
              - { name: gcra, match: { endpoint: /gcra }, limit: { requests: %1$d, window: 50ms, burst: 9, algorithm: gcra } }
              - { name: fixed, match: { endpoint: /fixed }, limit: { requests: %1$d, window: 100ms, algorithm: fixed_window } }
              - { name: sliding, match: { endpoint: /sliding }, limit: { requests: %1$d, window: 100ms, algorithm: sliding_window } }
              - { name: log, match: { endpoint: /log }, limit: { requests: %1$d, window: 100ms, algorithm: sliding_window_log } }
              - { name: one, match: { user_id: u0 }, limit: { requests: 3, window: 20ms } }
              - { name: many, match: { user_id: u1 }, limit: { requests: %1$d0, window: 12h } }
              - { name: both, key_by: endpoint, limit: { requests: 400, window: 1s, burst: 60 } }
            """;
    private static final Map<String, String> SECRET = Map.of("WEIR_DECISIONS_SECRET", "s3cret");
    private static final int REQUESTS = 2_000;

    @TempDir
    Path folder;

    private Path rules;
    private Path file;

    @BeforeEach
    void writeRules() throws Exception {
        rules = Files.writeString(folder.resolve("rules.yaml"), RULES.formatted(6));
        file = folder.resolve("decisions.jsonl");
    }

    /** Asks random things, and returns whether each request passed. */
    private List<Boolean> ask(String... settings) throws Exception {
        List<String> all = new ArrayList<>(List.of(
                "decisions_file",
                file.toString(),
                "decisions_requests",
                "all",
                "decisions_buffer",
                "100000",
                "node",
                "n1"));
        all.addAll(Arrays.asList(settings));
        List<Boolean> passed = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(7);
        String[] paths = {"/bucket", "/gcra", "/fixed", "/sliding", "/log", "/none"};
        try (RunningServer running = RunningServer.with(SECRET, rules, all.toArray(String[]::new))) {
            for (int i = 0; i < REQUESTS; i++) {
                JsonObject body = new JsonObject()
                        .put("user_id", "u" + random.nextInt(4))
                        .put("endpoint", paths[random.nextInt(paths.length)]);
                if (random.nextInt(8) == 0) {
                    body.put("cost", 1 + random.nextInt(3));
                }
                passed.add(running.http.check(body).statusCode() == 200);
            }
        }
        return passed;
    }

    private JsonObject replay(Path by, String... more) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> arguments =
                new ArrayList<>(List.of("replay", file.toString(), "--rules", by.toString(), "--json"));
        arguments.addAll(Arrays.asList(more));
        int code = WeirCommand.commandLine(SECRET, arguments.toArray(String[]::new))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments.toArray(String[]::new));
        assertThat(code).as("%s%s", out, err).isZero();
        return new JsonObject(out.toString());
    }

    private void isTheSame(List<Boolean> passed, JsonObject replayed) {
        long denied = passed.stream().filter(each -> !each).count();
        assertThat(denied).as("denials, without which this shows nothing").isBetween(100L, REQUESTS - 100L);
        assertThat(replayed.getLong("requests")).isEqualTo(REQUESTS);
        assertThat(replayed.getLong("recorded_denied")).isEqualTo(denied);
        assertThat(replayed.getLong("denied")).isEqualTo(denied);
        assertThat(replayed.getLong("as_recorded")).isEqualTo(REQUESTS);
        assertThat(replayed.getLong("more") + replayed.getLong("fewer")).isZero();
    }

    @Test
    void whatAServerDecidedInMemoryIsDecidedAgain() throws Exception {
        List<Boolean> passed = ask();
        JsonObject replayed = replay(rules, "--expect-same");
        isTheSame(passed, replayed);
        assertThat(replayed.getJsonArray("not_exact_because")).isEmpty();
        assertThat(Files.readString(file)).doesNotContain("\"u1\"").contains("\"/bucket\"");
        // With other rules, the difference is that between the two.
        Path strict = Files.writeString(folder.resolve("strict.yaml"), RULES.formatted(3));
        JsonObject other = replay(strict);
        assertThat(other.getLong("more")).isPositive();
        assertThat(other.getLong("denied") - other.getLong("denied_before"))
                .isEqualTo(other.getLong("more") - other.getLong("fewer"));
    }

    /** Windows of a year have no end here: both servers decide by the order of requests alone. */
    @Test
    void anotherLimitMakesTheDifferenceThatASecondServerShowsLive() throws Exception {
        String yearly = """
                domain: api
                key_by: user_id
                rules:
                  - { name: each, limit: { requests: %d, window: 365d, algorithm: fixed_window } }
                  - { name: all, key_by: endpoint, limit: { requests: 80, window: 365d, algorithm: fixed_window } }
                """;
        Files.writeString(rules, yearly.formatted(40));
        Path strict = Files.writeString(folder.resolve("strict.yaml"), yearly.formatted(25));
        SplittableRandom random = new SplittableRandom(11);
        long more = 0;
        long fewer = 0;
        try (RunningServer first = RunningServer.with(
                        SECRET, rules, "decisions_file", file.toString(), "decisions_requests", "all");
                RunningServer second = RunningServer.with(strict)) {
            for (int i = 0; i < 600; i++) {
                int user = Math.min(random.nextInt(12), random.nextInt(12));
                JsonObject body = new JsonObject().put("user_id", "u" + user).put("endpoint", "/" + random.nextInt(3));
                boolean passed = first.http.check(body).statusCode() == 200;
                boolean would = second.http.check(body).statusCode() == 200;
                more += passed && !would ? 1 : 0;
                fewer += !passed && would ? 1 : 0;
            }
        }
        assertThat(more).isPositive();
        assertThat(fewer).isPositive();
        for (JsonObject each : List.of(replay(strict), replay(strict, "--against", rules.toString()))) {
            assertThat(each.getLong("more")).isEqualTo(more);
            assertThat(each.getLong("fewer")).isEqualTo(fewer);
        }
    }

    @Test
    void whatAServerDecidedExactlyInRedisIsDecidedAgain() throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            List<Boolean> passed = ask("store", redis.uri(), "deadline", "5s");
            isTheSame(passed, replay(rules, "--expect-same"));
        }
    }
}
