package dev.weir.server.conformance;

import static dev.weir.server.conformance.RlsRequest.ask;
import static dev.weir.server.conformance.RlsRequest.askNothing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import dev.weir.server.SteadyCalendar;
import dev.weir.server.conformance.RlsReply.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
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
 * Weir answers each as the reference did when its answers were recorded, and the counters in Redis are those of the
 * reference. With {@code -Dweir.conformance.reference=PATH} the reference answers anew, and the record must be what it
 * says; {@code -Dweir.conformance.record=FOLDER} writes it. Then the two are also asked other requests side by side;
 * {@code -Dweir.conformance.seed} repeats them.
 *
 * <p><b>Counters over their limit.</b> The reference increments a counter for each denied request too, unless it has a
 * local cache ({@code LOCAL_CACHE_SIZE_IN_BYTES}): then it ceases to count when a counter is over. With {@code
 * cache_denials: false} every counter of Weir equals that of the reference without its cache. If denials are cached,
 * Weir re-validates them once a second and counts those requests: its counter is at least that of the reference with its
 * cache, at most that of the reference without, and equal to both up to the limit.
 */
class RecordedReferenceTest {
    private static final String ANSWERS = "reference-answers.gz";
    private static final String COUNTERS = "reference-counters.txt";
    private static final String CACHED_COUNTERS = "reference-counters-cached.txt";
    private static final String LOCAL_CACHE = "LOCAL_CACHE_SIZE_IN_BYTES";
    private static final long RECORDED_SEED = 18;
    private static final int REQUESTS = 20_000;
    /** Longer than all requests take. Weeks, months and years, which the limits are for, end at midnight. */
    private static final Duration LONGEST = Duration.ofMinutes(3);

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

    @Test
    void weirAnswersFromMemoryAsTheReferenceDid() throws Exception {
        try (RunningServer weir = RunningServer.with(rules(), "store", "memory");
                RateLimitServiceUnderTest service = new OverGrpc(weir)) {
            assertSame(service, recorded());
        }
    }

    @Test
    void everyCounterInRedisIsThatOfTheReference() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RunningServer weir = weir(redis, "0");
                RateLimitServiceUnderTest service = new OverGrpc(weir)) {
            assertSame(service, recorded());
            assertThat(countersOf(redis)).isEqualTo(recordedCounters(COUNTERS));
        }
    }

    @Test
    void aCachedDenialIsTheAnswerOfTheReferenceAndStopsItsCounter() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RunningServer weir = weir(redis, "");
                RateLimitServiceUnderTest service = new OverGrpc(weir)) {
            assertSame(service, recorded());
            assertBetween(countersOf(redis), recordedCounters(CACHED_COUNTERS), recordedCounters(COUNTERS));
        }
    }

    /** A server on {@code redis} whose cache of denials is as the reference's variable says. */
    private RunningServer weir(RedisProcess redis, String cacheBytes) throws Exception {
        return RunningServer.with(Map.of(LOCAL_CACHE, cacheBytes), rules(), "store", redis.uri(), "deadline", "10s");
    }

    private static void assertBetween(Map<String, Long> ours, Map<String, Long> cached, Map<String, Long> counted) {
        assertThat(ours.keySet()).isEqualTo(counted.keySet());
        assertThat(cached.keySet()).isEqualTo(counted.keySet());
        int stopped = 0;
        for (Map.Entry<String, Long> each : counted.entrySet()) {
            String name = each.getKey();
            long most = each.getValue();
            long least = most <= limitOf(name) ? most : cached.getOrDefault(name, most);
            long own = ours.getOrDefault(name, 0L);
            assertThat(own).as(name).isBetween(least, most);
            stopped += own < most ? 1 : 0;
        }
        assertThat(stopped)
                .as("counters that stood still while denials were repeated")
                .isPositive();
    }

    private static long limitOf(String counter) {
        return switch (counter.substring(0, counter.indexOf('_'))) {
            case "ceiling" -> 9_000;
            case "user" -> 40;
            case "path" -> counter.equals("path_/login") ? 5 : 700;
            case "trial" -> 10;
            case "never" -> 0;
            case "tenant" -> 15;
            default -> throw new IllegalArgumentException(counter);
        };
    }

    /** The counters of Weir: {@code fw60s:mixed:key=value}, whose count is in the last seven bytes. */
    private static Map<String, Long> countersOf(RedisProcess redis) {
        List<?> found = (List<?>) Objects.requireNonNull(redis.cli("EVAL", """
                local found = {}
                for _, key in ipairs(redis.call('KEYS', 'weir:{*}:fw*')) do
                  found[#found + 1] = key
                  found[#found + 1] = (struct.unpack('>I7', redis.call('GET', key), 15))
                end
                return found
                """, "0"));
        Map<String, Long> counters = new TreeMap<>();
        for (int i = 0; i < found.size(); i += 2) {
            String name = String.valueOf(found.get(i)).replaceFirst(".*:mixed:", "");
            counters.put(name.replaceAll("[:=]", "_"), (Long) found.get(i + 1));
        }
        return counters;
    }

    @ParameterizedTest(name = LOCAL_CACHE + " {0}")
    @ValueSource(strings = {"0", "10000000"})
    @EnabledIfSystemProperty(named = "weir.conformance.reference", matches = ".+")
    void theReferenceStillAnswersAsItDid(String cacheBytes) throws Exception {
        boolean cached = !cacheBytes.equals("0");
        String counters = cached ? CACHED_COUNTERS : COUNTERS;
        String record = System.getProperty("weir.conformance.record");
        try (ReferenceService reference = reference(cacheBytes);
                RateLimitServiceUnderTest service = new OverGrpc(reference)) {
            if (record != null && !cached) {
                record(service, Path.of(record).resolve(ANSWERS));
            } else {
                assertSame(service, recorded());
            }
            if (record != null) {
                Files.write(
                        Path.of(record).resolve(counters),
                        reference.counters("mixed").entrySet().stream()
                                .map(each -> each.getKey() + " " + each.getValue())
                                .toList());
            } else {
                assertThat(reference.counters("mixed")).isEqualTo(recordedCounters(counters));
            }
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "weir.conformance.reference", matches = ".+")
    void weirAndTheReferenceAgreeOnOtherRequests() throws Exception {
        long seed = Long.getLong("weir.conformance.seed", System.nanoTime());
        SteadyCalendar.awaitRoomBeforeMidnight(LONGEST);
        try (RedisProcess counting = RedisProcess.start();
                RedisProcess caching = RedisProcess.start();
                RunningServer countingWeir = weir(counting, "0");
                RunningServer cachingWeir = weir(caching, "10000000");
                ReferenceService countingReference = reference("0");
                ReferenceService cachingReference = reference("10000000");
                RateLimitServiceUnderTest first = new OverGrpc(countingWeir);
                RateLimitServiceUnderTest second = new OverGrpc(cachingWeir);
                RateLimitServiceUnderTest third = new OverGrpc(countingReference);
                RateLimitServiceUnderTest fourth = new OverGrpc(cachingReference)) {
            for (RlsRequest each : requests(seed)) {
                String expected = text(third.ask("mixed", each));
                assertThat(List.of(
                                text(first.ask("mixed", each)),
                                text(second.ask("mixed", each)),
                                text(fourth.ask("mixed", each))))
                        .as("seed %d: %s", seed, each)
                        .containsOnly(expected);
            }
            Map<String, Long> counted = countingReference.counters("mixed");
            assertThat(countersOf(counting)).as("seed %d", seed).isEqualTo(counted);
            assertBetween(countersOf(caching), cachingReference.counters("mixed"), counted);
        }
    }

    private ReferenceService reference(String cacheBytes) throws IOException {
        rules();
        Path binary = Path.of(System.getProperty("weir.conformance.reference"));
        return new ReferenceService(binary, folder, Map.of(LOCAL_CACHE, cacheBytes));
    }

    private static void assertSame(RateLimitServiceUnderTest service, List<String> recorded) throws Exception {
        SteadyCalendar.awaitRoomBeforeMidnight(LONGEST);
        List<RlsRequest> requests = requests(RECORDED_SEED);
        assertThat(recorded).hasSameSizeAs(requests);
        for (int i = 0; i < requests.size(); i++) {
            assertThat(text(service.ask("mixed", requests.get(i))))
                    .as("request %d: %s", i, requests.get(i))
                    .isEqualTo(recorded.get(i));
        }
    }

    private static void record(RateLimitServiceUnderTest service, Path file) throws Exception {
        List<String> lines = new ArrayList<>();
        for (RlsRequest each : requests(RECORDED_SEED)) {
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
        try (InputStream in = Objects.requireNonNull(RecordedReferenceTest.class.getResourceAsStream(ANSWERS));
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(new GZIPInputStream(in), StandardCharsets.US_ASCII))) {
            return reader.lines().toList();
        }
    }

    private static Map<String, Long> recordedCounters(String file) throws IOException {
        try (InputStream in = Objects.requireNonNull(RecordedReferenceTest.class.getResourceAsStream(file));
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
            return new TreeMap<>(reader.lines()
                    .map(each -> each.split(" "))
                    .collect(Collectors.toMap(each -> each[0], each -> Long.valueOf(each[1]))));
        }
    }

    private Path rules() throws IOException {
        Path config = Files.createDirectories(folder.resolve("config"));
        Files.writeString(config.resolve("mixed.yaml"), RULES);
        return config;
    }

    /** The requests of a seed, the last ones without hits: they show every counter. */
    private static List<RlsRequest> requests(long seed) {
        Random random = new Random(seed);
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
