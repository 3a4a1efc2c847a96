package dev.weir.server.conformance;

import static dev.weir.server.conformance.RlsRequest.ask;
import static dev.weir.server.conformance.RlsRequest.askNothing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import dev.weir.server.conformance.RlsReply.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Twenty thousand requests with two to four descriptors, most of them over a limit, and then a look at every counter:
 * Weir answers each as the reference did when its answers were recorded. With
 * {@code -Dweir.conformance.reference=PATH} the reference answers anew, and the record must be what it says;
 * {@code -Dweir.conformance.record=FILE} writes it.
 *
 * <p>A counter that is over its limit is compared as such, not by its count: what a server denies without asking Redis
 * is not counted there.
 */
class RecordedReferenceTest {
    private static final int REQUESTS = 20_000;
    private static final int USERS = 40;
    private static final List<String> PATHS = List.of("/login", "/search", "/orders", "/a/b");
    private static final String RULES = """
            domain: mixed
            descriptors:
              - { key: ceiling, value: all, rate_limit: { unit: year, requests_per_unit: 9000 } }
              - { key: user, rate_limit: { unit: year, requests_per_unit: 40 } }
              - { key: path, value: /login, rate_limit: { unit: month, requests_per_unit: 5 } }
              - { key: path, rate_limit: { unit: year, requests_per_unit: 700 } }
              - { key: plan, value: gold, rate_limit: { unlimited: true } }
              - { key: trial, shadow_mode: true, rate_limit: { unit: year, requests_per_unit: 10 } }
              - { key: never, rate_limit: { unit: year, requests_per_unit: 0 } }
              - key: tenant
                descriptors:
                  - { key: user, rate_limit: { unit: week, requests_per_unit: 15 } }
            """;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void weirAnswersAsTheReferenceDid(String store) throws Exception {
        List<String> recorded = recorded();
        try (RedisProcess redis = RedisProcess.start();
                RunningServer weir = RunningServer.with(
                        rules(), "store", store.equals("redis") ? redis.uri() : store, "deadline", "10s");
                RateLimitServiceUnderTest service = new OverGrpc(weir)) {
            assertSame(service, recorded);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "weir.conformance.reference", matches = ".+")
    void theReferenceStillAnswersAsItDid() throws Exception {
        rules();
        Path binary = Path.of(System.getProperty("weir.conformance.reference"));
        String file = System.getProperty("weir.conformance.record");
        try (ReferenceService reference = new ReferenceService(binary, folder, Map.of());
                RateLimitServiceUnderTest service = new OverGrpc(reference)) {
            if (file == null) {
                assertSame(service, recorded());
            } else {
                record(service, Path.of(file));
            }
        }
    }

    private static void assertSame(RateLimitServiceUnderTest service, List<String> recorded) throws Exception {
        List<RlsRequest> requests = requests();
        assertThat(recorded).hasSameSizeAs(requests);
        for (int i = 0; i < requests.size(); i++) {
            assertThat(text(service.ask("mixed", requests.get(i))))
                    .as("request %d: %s", i, requests.get(i))
                    .isEqualTo(recorded.get(i));
        }
    }

    private static void record(RateLimitServiceUnderTest service, Path file) throws Exception {
        List<String> lines = new ArrayList<>();
        for (RlsRequest each : requests()) {
            lines.add(text(service.ask("mixed", each)));
        }
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(String.join("\n", lines).getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** The overall code, and the code and the remaining hits of each status. */
    private static String text(RlsReply reply) {
        Answer answer = (Answer) reply;
        return number(answer.code())
                + answer.statuses().stream()
                        .map(each -> " " + number(each.code()) + "/" + each.remaining())
                        .collect(Collectors.joining());
    }

    private static int number(ProtocolCode code) {
        return switch (code) {
            case UNKNOWN -> 0;
            case OK -> 1;
            case OVER_LIMIT -> 2;
        };
    }

    private static List<String> recorded() throws IOException {
        try (InputStream in = Objects.requireNonNull(
                        RecordedReferenceTest.class.getResourceAsStream("reference-answers.gz"));
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(new GZIPInputStream(in), StandardCharsets.US_ASCII))) {
            return reader.lines().toList();
        }
    }

    private Path rules() throws IOException {
        Path config = Files.createDirectories(folder.resolve("config"));
        Files.writeString(config.resolve("mixed.yaml"), RULES);
        return config;
    }

    /** The same requests each time, the last ones without hits: they show every counter. */
    private static List<RlsRequest> requests() {
        Random random = new Random(18);
        List<RlsRequest> requests = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            RlsRequest request = askNothing();
            for (int left = 2 + random.nextInt(3); left > 0; left--) {
                add(request, random);
                if (random.nextInt(12) == 0) {
                    request.ownHits(random.nextInt(4));
                }
            }
            requests.add(random.nextInt(10) == 0 ? request.hits(1 + random.nextInt(3)) : request);
        }
        requests.add(ask("ceiling", "all").ownHits(0));
        for (int i = 0; i < USERS; i++) {
            requests.add(ask("user", "u" + i).ownHits(0).and("trial", "t" + i).ownHits(0));
            requests.add(ask("tenant", "x", "user", "u" + i)
                    .ownHits(0)
                    .and("tenant", "y", "user", "u" + i)
                    .ownHits(0));
        }
        PATHS.forEach(each -> requests.add(ask("path", each).ownHits(0)));
        return requests;
    }

    private static void add(RlsRequest request, Random random) {
        String user = "u" + random.nextInt(USERS);
        switch (random.nextInt(10)) {
            case 0, 1 -> request.and("ceiling", "all");
            case 2, 3, 4 -> request.and("user", user);
            case 5 -> request.and("path", PATHS.get(random.nextInt(PATHS.size())));
            case 6 -> request.and("trial", "t" + random.nextInt(USERS));
            case 7 -> request.and("tenant", random.nextBoolean() ? "x" : "y", "user", user);
            case 8 -> request.and("plan", random.nextBoolean() ? "gold" : "silver");
            default -> request.and(random.nextInt(20) == 0 ? "never" : "user", user);
        }
    }
}
