package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.redis.testkit.RedisProcess;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever callers send as a value, it is one counter of its own, in a slot that they cannot choose. */
class HostileValuesTest {
    private static final Duration PATIENT = Duration.ofSeconds(2);
    private static final WrittenRules ONCE = WeirRules.rules(
            WeirRules.rule(
                    WeirRules.rule("one", Limit.fixedWindow(1, Duration.ofDays(30)))
                            .build(),
                    KeyBy.of("user")),
            WeirRules.rule(
                    WeirRules.rule("two", Limit.fixedWindow(1, Duration.ofDays(30)))
                            .build(),
                    KeyBy.of("a", "b")));

    private static final List<String> VALUES = List.of(
            "a",
            "A",
            "_",
            "__",
            "-",
            "~",
            "~~",
            "!",
            "=",
            ":",
            "::",
            "a:b",
            "{a}",
            "{b}",
            "{}",
            "}{",
            "{",
            "}",
            "a}",
            "{a}b",
            "weir:{a}:b",
            "%",
            "%00",
            "%25",
            "%2500",
            "\0",
            "\0\0",
            "a\0",
            "\0a",
            " ",
            "  ",
            "\t",
            "\n",
            "\r\n",
            "a\r\nFLUSHALL\r\n",
            "*1\r\n$8\r\nFLUSHALL\r\n",
            "\"",
            "\\",
            "'",
            "\u202e",
            "é",
            "e\u0301",
            "😀",
            "\ud83d",
            "\ude00",
            "\ufffd",
            "?",
            "%EF%BF%BD",
            "null",
            "0",
            "00",
            "x".repeat(80),
            "x".repeat(81),
            "x".repeat(10_000),
            "x".repeat(10_001),
            "{x}".repeat(3_000),
            "é".repeat(5_000));

    private static RedisProcess redis;
    private static RedisSharedStore store;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
        store = StoreFixture.open(redis.uri());
        StoreFixture.awaitServed(store, "ready");
    }

    @AfterAll
    static void stop() {
        store.close();
        redis.stop();
    }

    @BeforeEach
    void flush() {
        redis.cli("FLUSHALL");
    }

    @Test
    void noTwoValuesShareACounter() {
        Limiter limiter = FleetLimiters.on(store, ONCE, PATIENT);
        for (String value : VALUES) {
            MutableDecision first = FleetLimiters.decide(limiter, WeirRules.ask("user", value));
            assertThat(first.allowed() && !first.degraded())
                    .as("first of <%s>", value)
                    .isTrue();
        }
        // Another node, which knows of no denial, calls each of them the same.
        Limiter other = FleetLimiters.on(store, ONCE, PATIENT);
        for (String value : VALUES) {
            assertThat(FleetLimiters.decide(other, WeirRules.ask("user", value)).allowed())
                    .as("second of <%s>", value)
                    .isFalse();
        }
        assertThat(redis.cli("DBSIZE")).isEqualTo((long) VALUES.size());
    }

    @Test
    void noTwoPairsShareACounter() {
        Limiter limiter = FleetLimiters.on(store, ONCE, PATIENT);
        List<String> some = VALUES.stream().filter(value -> value.length() < 8).toList();
        int pairs = 0;
        for (String a : some) {
            for (String b : some) {
                pairs++;
                assertThat(FleetLimiters.decide(limiter, WeirRules.ask("a", a, "b", b))
                                .allowed())
                        .as("first of <%s> and <%s>", a, b)
                        .isTrue();
            }
        }
        assertThat(redis.cli("DBSIZE")).isEqualTo((long) pairs);
    }

    @Test
    void theySpreadEvenlyOverTheSlots() {
        Limiter limiter = FleetLimiters.on(store, ONCE, PATIENT);
        List<CompletableFuture<MutableDecision>> decisions = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            for (String hostile : List.of("{a}" + i, "_" + i, "\0" + i, "{a}".repeat(200) + i)) {
                decisions.add(
                        limiter.decideAsync(WeirRules.ask("user", hostile)).toCompletableFuture());
            }
        }
        decisions.forEach(CompletableFuture::join);

        int[] buckets = new int[16];
        List<?> keys = redis.cli("KEYS", "*") instanceof List<?> all ? all : List.of();
        assertThat(keys).hasSize(4_000);
        keys.forEach(key -> buckets[SlotHash.getSlot(String.valueOf(key)) * buckets.length / SlotHash.SLOT_COUNT]++);
        // 250 each, give or take five standard deviations.
        assertThat(IntStream.of(buckets).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(250 - 77, 250 + 77));
    }

    @Test
    void namesInRedisAreShortPrintableAndHaveTheOneTag() {
        Limiter limiter = FleetLimiters.on(store, ONCE, PATIENT);
        VALUES.forEach(value -> FleetLimiters.decide(limiter, WeirRules.ask("user", value)));
        List<?> keys = redis.cli("KEYS", "*") instanceof List<?> all ? all : List.of();
        assertThat(keys)
                .hasSameSizeAs(VALUES)
                .allSatisfy(
                        key -> assertThat(String.valueOf(key)).matches("weir:\\{[A-Za-z0-9_-]{11}}:[!-z|~]{1,512}"));
    }
}
