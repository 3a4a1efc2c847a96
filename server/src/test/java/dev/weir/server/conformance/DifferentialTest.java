package dev.weir.server.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.ListeningService;
import dev.weir.server.RunningServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random rules and random requests, put to Weir and to the reference side by side, over gRPC or over {@code /json}: every answer
 * is the same. Stays inside what both mean alike (stars at the end, no underscores, counts below 2^63, nothing given back). Only
 * with {@code -Dweir.conformance.reference=PATH}; {@code -Dweir.conformance.seed} repeats a run.
 */
@EnabledIfSystemProperty(named = "weir.conformance.reference", matches = ".+")
class DifferentialTest {
    private static final int DOMAINS = 40;
    private static final int REQUESTS = 200;
    private static final String RESET = "RateLimit-Reset";

    private final long seed = Long.getLong("weir.conformance.seed", System.nanoTime());

    @TempDir
    Path folder;

    @ParameterizedTest(name = "SHADOW_MODE {0}")
    @ValueSource(booleans = {false, true})
    void weirAnswersAsTheReferenceDoes(boolean shadow) throws Exception {
        Path config = Files.createDirectories(folder.resolve("config"));
        for (int i = 0; i < DOMAINS; i++) {
            Files.writeString(config.resolve("d" + i + ".yaml"), new RandomRules(new Random(seed + i)).file("d" + i));
        }
        Map<String, String> variables = Map.of(
                "LIMIT_RESPONSE_HEADERS_ENABLED", "true",
                "RESPONSE_DYNAMIC_METADATA", "true",
                "SHADOW_MODE", String.valueOf(shadow));
        Path binary = Path.of(System.getProperty("weir.conformance.reference"));
        try (ListeningService weir = RunningServer.under(variables, config);
                ListeningService reference = new ReferenceService(binary, folder, variables);
                Both grpc = new Both(new OverGrpc(weir), new OverGrpc(reference));
                Both json = new Both(new OverJson(weir), new OverJson(reference))) {
            for (int i = 0; i < DOMAINS; i++) {
                Random random = new Random(seed + i);
                RandomRlsRequests asks = new RandomRlsRequests(random, seconds());
                long minute = seconds() / 60;
                for (int j = 0; j < REQUESTS; j++) {
                    RlsRequest ask = asks.next();
                    Both way = random.nextBoolean() ? grpc : json;
                    long before = seconds();
                    RlsReply ours = way.ours.ask("d" + i, ask);
                    RlsReply theirs = SinceJanuary.of(way.theirs.ask("d" + i, ask), shadow);
                    if (seconds() / 60 != minute) {
                        break; // a window may have ended between the two
                    }
                    String rules = Files.readString(config.resolve("d" + i + ".yaml"));
                    String what = "seed %d, d%d, request %d: %s of%n%s".formatted(seed, i, j, ask, rules);
                    compare(what, ours, theirs, seconds() - before);
                }
            }
        }
    }

    private static long seconds() {
        return System.currentTimeMillis() / 1_000;
    }

    /** {@code apart} is how many seconds later the reference may have decided. */
    private static void compare(String what, RlsReply ours, RlsReply theirs, long apart) {
        if (theirs instanceof RlsReply.Refusal) {
            assertThat(ours).as(what).isInstanceOf(RlsReply.Refusal.class);
            return;
        }
        assertThat(withoutResets(ours)).as(what).isEqualTo(withoutResets(theirs));
        List<Long> our = resets(ours);
        List<Long> their = resets(theirs);
        for (int i = 0; i < our.size(); i++) {
            if (their.get(i) != SinceJanuary.UNSAID) {
                // Two clocks: one may be in the next second a moment before the other.
                assertThat(our.get(i)).as("reset, %s", what).isBetween(their.get(i) - 1, their.get(i) + apart + 1);
            }
        }
    }

    private static RlsReply withoutResets(RlsReply reply) {
        return !(reply instanceof RlsReply.Answer answer)
                ? reply
                : new RlsReply.Answer(
                        answer.code(),
                        answer.statuses().stream()
                                .map(s -> new RlsReply.Status(
                                        s.code(), s.limit(), s.remaining(), s.resetSeconds() == null ? null : 0L))
                                .toList(),
                        answer.headers().stream()
                                .filter(h -> !h.name().equals(RESET))
                                .toList(),
                        answer.metadata());
    }

    private static List<Long> resets(RlsReply reply) {
        RlsReply.Answer answer = (RlsReply.Answer) reply;
        List<Long> resets = new ArrayList<>();
        answer.statuses().forEach(s -> resets.add(s.resetSeconds() == null ? 0 : s.resetSeconds()));
        answer.headers().stream().filter(h -> h.name().equals(RESET)).forEach(h -> resets.add(Long.valueOf(h.value())));
        return resets;
    }

    private record Both(RateLimitServiceUnderTest ours, RateLimitServiceUnderTest theirs) implements AutoCloseable {
        @Override
        public void close() {
            ours.close();
            theirs.close();
        }
    }
}
