package dev.weir.server.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.Listening;
import dev.weir.server.RunningServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random rules and random requests, put to Weir and to the reference side by side: every answer is the same. Stays inside what
 * both mean alike (stars at the end, no underscores, hits that fit). Only with {@code -Dweir.conformance.reference=PATH};
 * {@code -Dweir.conformance.seed} repeats a run.
 */
@EnabledIfSystemProperty(named = "weir.conformance.reference", matches = ".+")
class DifferentialTest {
    private static final int DOMAINS = 40;
    private static final int REQUESTS = 200;
    private static final String[] KEYS = {"a", "b", "c"};
    private static final String[] VALUES = {"x", "xy", "y", "z", ""};
    private static final String[] PATTERNS = {"", "x", "xy", "y", "x*", "xy*", "*"};

    private final long seed = Long.getLong("weir.conformance.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private int names;

    @TempDir
    Path folder;

    @Test
    void weirAnswersAsTheReferenceDoes() throws Exception {
        Path config = Files.createDirectories(folder.resolve("config"));
        for (int i = 0; i < DOMAINS; i++) {
            names = 0;
            Files.writeString(config.resolve("d" + i + ".yaml"), "domain: d" + i + "\ndescriptors:\n" + level(1));
        }
        Map<String, String> headers = Map.of("LIMIT_RESPONSE_HEADERS_ENABLED", "true");
        Path binary = Path.of(System.getProperty("weir.conformance.reference"));
        try (Listening weir = RunningServer.under(headers, config);
                Listening reference = new ReferenceService(binary, folder, headers);
                OverGrpc ours = new OverGrpc(weir);
                OverGrpc theirs = new OverGrpc(reference)) {
            for (int i = 0; i < DOMAINS; i++) {
                String domain = "d" + i;
                for (int j = 0; j < REQUESTS; j++) {
                    Ask ask = request();
                    Reply answer = ours.ask(domain, ask);
                    assertThat(answer).isInstanceOf(Reply.Answer.class);
                    assertThat(withoutResets(answer))
                            .as(
                                    "seed %d, request %d: %s of%n%s",
                                    seed, j, ask, Files.readString(config.resolve(domain + ".yaml")))
                            .isEqualTo(withoutResets(theirs.ask(domain, ask)));
                }
            }
        }
    }

    /** The two decide within the same second or not; the scenarios check resets. */
    private static Reply withoutResets(Reply reply) {
        if (!(reply instanceof Reply.Answer answer)) {
            return reply;
        }
        return new Reply.Answer(
                answer.code(),
                answer.statuses().stream()
                        .map(s -> new Reply.Status(s.code(), s.limit(), s.remaining(), null))
                        .toList(),
                answer.headers().stream()
                        .filter(h -> !h.name().equals("RateLimit-Reset"))
                        .toList(),
                answer.metadata());
    }

    private String level(int depth) {
        StringBuilder yaml = new StringBuilder();
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            String key = pick(KEYS);
            String pattern = pick(PATTERNS);
            if (taken.add(key + "=" + pattern)) {
                String indent = "  ".repeat(2 * depth);
                yaml.append("  ".repeat(2 * depth - 1))
                        .append("- key: ")
                        .append(key)
                        .append('\n');
                if (!pattern.isEmpty()) {
                    yaml.append(indent).append("value: \"").append(pattern).append("\"\n");
                }
                if (pattern.endsWith("*") && random.nextBoolean()) {
                    yaml.append(indent).append("share_threshold: true\n");
                }
                if (random.nextInt(5) == 0) {
                    yaml.append(indent).append("shadow_mode: true\n");
                }
                if (random.nextInt(4) > 0) {
                    yaml.append(indent).append("rate_limit: {").append(limit()).append("}\n");
                }
                if (depth < 3 && random.nextInt(3) == 0) {
                    yaml.append(indent).append("descriptors:\n").append(level(depth + 1));
                }
            }
        }
        return yaml.toString();
    }

    private String limit() {
        String numbers =
                random.nextInt(8) == 0 ? "unlimited: true" : "unit: year, requests_per_unit: " + random.nextInt(12);
        String name = random.nextBoolean() ? "" : ", name: n" + names++;
        String replaces = name.isEmpty() && names > 0 && random.nextInt(3) == 0
                ? ", replaces: [{name: n" + random.nextInt(names) + "}]"
                : "";
        return numbers + name + replaces;
    }

    private Ask request() {
        Ask ask = Ask.askNothing();
        for (int i = 0, n = 1 + random.nextInt(3); i < n; i++) {
            String[] entries = new String[2 * (1 + random.nextInt(3))];
            for (int j = 0; j < entries.length; j += 2) {
                entries[j] = pick(KEYS);
                entries[j + 1] = pick(VALUES);
            }
            ask.and(entries);
            if (random.nextInt(4) == 0) {
                ask.ownHits(random.nextInt(4));
            }
            if (random.nextInt(6) == 0) {
                ask.limitedTo(random.nextInt(12), Unit.YEAR);
            }
        }
        return ask.hits(random.nextInt(3));
    }

    private String pick(String[] from) {
        return from[random.nextInt(from.length)];
    }
}
