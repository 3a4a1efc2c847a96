package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.RuleCounter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Idempotency;
import dev.weir.redis.internal.inspection.CounterState;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.notes.NewsStream;
import dev.weir.redis.internal.notes.SharedNotes;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A later version shares the Redis during a rollout, and has written what this version does not know. docs/compatibility.md says what
 * happens then; this holds it.
 */
class LaterVersionTest {
    private static final Duration PATIENT = Duration.ofSeconds(5);
    private static final Duration DAYS = Duration.ofDays(30);
    /** Format 6, which this version does not know, then whatever that version keeps. It reads as text, so that a test can compare it. */
    private static final String LATER = "\u0006 a state of a later version";

    private static RedisProcess redis;
    private static RedisSharedStore store;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
        store = RedisSharedStore.open(RedisSettings.of(redis.uri()).withDeadline(PATIENT));
        AwaitableAsk.awaitServing(store);
    }

    @AfterAll
    static void stop() {
        store.close();
        redis.stop();
    }

    @BeforeEach
    void clear() {
        redis.cli("FLUSHALL");
    }

    private static WeirRule rule(String name, Limit limit, OnFail onFail, Consistency consistency) {
        return WeirRules.rule(
                WeirRules.rule(name, limit)
                        .onFail(onFail)
                        .consistency(consistency)
                        .localShare(500_000)
                        .build(),
                KeyBy.of("user"),
                "what",
                name);
    }

    private static Limiter node(WeirRule... rules) {
        WrittenRules all = WeirRules.rules(rules);
        return FleetLimiters.on(store, all, PATIENT);
    }

    private static Request ask(String rule) {
        return WeirRules.ask("what", rule, "user", "u");
    }

    /** The name in Redis of the first counter of {@code request}. */
    private static String key(Limiter limiter, Request request) {
        RuleCounter counter = limiter.counters(request).get(0);
        return new String(RedisKey.of(counter.check().name), StandardCharsets.US_ASCII);
    }

    private static int admitted(Limiter limiter, Request request, int asked) {
        int admitted = 0;
        for (int i = 0; i < asked; i++) {
            MutableDecision decision = FleetLimiters.decide(limiter, request);
            assertThat(decision.degraded()).as("marked").isTrue();
            admitted += decision.allowed() ? 1 : 0;
        }
        return admitted;
    }

    /** Every way to count, alone in its call. */
    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void aCounterInALaterFormatIsLeftAloneAndOnFailDecides(Algorithm algorithm) {
        for (int parts : algorithm == Algorithm.SLIDING_WINDOW ? new int[] {1, 10} : new int[] {1}) {
            Limit limit = new Limit(algorithm, 10, TimeUnit.DAYS.toMicros(30), 10, parts);
            Limiter limiter = node(
                    rule("allow", limit, OnFail.ALLOW, Consistency.EXACT),
                    rule("deny", limit, OnFail.DENY, Consistency.EXACT),
                    rule("local", limit, OnFail.LOCAL, Consistency.EXACT));
            for (String each : List.of("allow", "deny", "local")) {
                redis.cli("SET", key(limiter, ask(each)), LATER, "PX", "3600000");
            }
            long failures = store.stats().failures(StoreFailure.UNKNOWN_FORMAT);
            assertThat(admitted(limiter, ask("allow"), 20)).isEqualTo(20);
            assertThat(admitted(limiter, ask("deny"), 20)).isZero();
            assertThat(admitted(limiter, ask("local"), 20))
                    .as("half of the limit")
                    .isEqualTo(5);
            assertThat(store.stats().failures(StoreFailure.UNKNOWN_FORMAT) - failures)
                    .as("counted")
                    .isEqualTo(60);
            for (String each : List.of("allow", "deny", "local")) {
                assertThat(redis.cli("GET", key(limiter, ask(each))))
                        .as("as the later version wrote it")
                        .isEqualTo(LATER);
                assertThat((Long) redis.cli("PTTL", key(limiter, ask(each))))
                        .as("forgotten when that version said")
                        .isBetween(1L, 3_600_000L);
            }
            assertThat(store.stats().mismatches()).isZero();
            assertThat(store.health()).noneMatch(NodeHealth::open);
            redis.cli("FLUSHALL");
            assertThat(FleetLimiters.decide(limiter, ask("deny")).degraded())
                    .as("once it is gone")
                    .isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LEASED", "REPORTED"})
    void nodesThatHoldHitsOrReportThemLeaveItAloneToo(Consistency consistency) {
        Limiter limiter = node(rule("r", Limit.fixedWindow(1_000, DAYS), OnFail.DENY, consistency));
        redis.cli("SET", key(limiter, ask("r")), LATER);
        if (consistency == Consistency.LEASED) {
            assertThat(admitted(limiter, ask("r"), 20)).isZero();
        } else {
            // Nobody waits for the store: this node counts by itself, up to the limit, as while the store is away.
            int admitted = 0;
            for (int i = 0; i < 1_100; i++) {
                admitted += FleetLimiters.decide(limiter, ask("r")).allowed() ? 1 : 0;
            }
            assertThat(admitted).isLessThanOrEqualTo(1_000);
            await().until(() -> store.stats().failures(StoreFailure.UNKNOWN_FORMAT) > 0);
        }
        assertThat(redis.cli("GET", key(limiter, ask("r")))).isEqualTo(LATER);
    }

    /** The other limits of a request hold, whichever of them come before and after, and however they count. */
    @ParameterizedTest
    @CsvSource({
        "FIXED_WINDOW, TOKEN_BUCKET",
        "TOKEN_BUCKET, SLIDING_WINDOW_LOG",
        "SLIDING_WINDOW_LOG, FIXED_WINDOW",
        "SLIDING_WINDOW_LOG, SLIDING_WINDOW_LOG"
    })
    void theOtherLimitsOfTheRequestHold(Algorithm later, Algorithm known) {
        Limiter limiter = node(
                rule("later", Limit.of(later, 5, DAYS), OnFail.ALLOW, Consistency.EXACT),
                WeirRules.rule(WeirRules.rule("known", Limit.of(known, 3, DAYS)).build(), KeyBy.of("user")));
        redis.cli("SET", key(limiter, ask("later")), LATER);
        assertThat(limiter.counters(ask("later"))).hasSize(2);
        assertThat(admitted(limiter, ask("later"), 3)).isEqualTo(3);
        MutableDecision over = FleetLimiters.decide(limiter, ask("later"));
        assertThat(over.allowed()).isFalse();
        assertThat(redis.cli("GET", key(limiter, ask("later")))).isEqualTo(LATER);
    }

    @Test
    void whatTheOthersTookComesBackWhereOnFailDenies() {
        Limiter limiter = node(
                rule("later", Limit.fixedWindow(5, DAYS), OnFail.DENY, Consistency.EXACT),
                WeirRules.rule(
                        WeirRules.rule("known", Limit.fixedWindow(3, DAYS)).build(), KeyBy.of("user")));
        redis.cli("SET", key(limiter, ask("later")), LATER);
        assertThat(admitted(limiter, ask("later"), 2)).isZero();
        redis.cli("DEL", key(limiter, ask("later")));
        await().untilAsserted(() -> {
            MutableDecision left = FleetLimiters.decide(limiter, ask("later").hits(0L));
            assertThat(List.of(left.verdict(0).remaining(), left.verdict(1).remaining()))
                    .containsExactlyInAnyOrder(5L, 3L);
        });
    }

    @Test
    void anOperatorSeesThatItIsUnknownAndMayForgetIt() throws Exception {
        Limiter limiter = node(rule("r", Limit.fixedWindow(5, DAYS), OnFail.DENY, Consistency.EXACT));
        redis.cli("SET", key(limiter, ask("r")), LATER);
        RuleCounter counter = limiter.counters(ask("r")).get(0);
        CounterState state = get(store.inspect(counter.check().name)).orElseThrow();
        assertThat(state.kind()).isEqualTo("unknown");
        assertThat(state.used()).isEqualTo(-1);
        assertThat(get(store.reset(counter.check().name))).isTrue();
        assertThat(FleetLimiters.decide(limiter, ask("r")).degraded()).isFalse();
    }

    private static AwaitableAsk once(AwaitableAsk asking) {
        byte[] hash = Arrays.copyOf("once".getBytes(StandardCharsets.UTF_8), Idempotency.HASH);
        asking.idempotency = new Idempotency(hash, hash, hash, 3_600_000_000L, 100);
        return asking;
    }

    /** A record that says more, after the time and the fingerprint that every version begins it with. */
    @Test
    void anIdempotencyRecordThatSaysMoreIsStillARepeat() {
        AwaitableAsk first =
                once(new AwaitableAsk().on("a", AwaitableAsk.limit(5), 1)).now(store);
        assertThat(first.allowed() && !first.repeated).isTrue();
        redis.cli(
                "EVAL",
                "for _, key in ipairs(redis.call('HKEYS', KEYS[1])) do if key:sub(1, 1) ~= '#' then"
                        + " redis.call('HSET', KEYS[1], key, redis.call('HGET', KEYS[1], key) .. 'and more') end end",
                "1",
                idempotencyKeys().get(0));
        AwaitableAsk again =
                once(new AwaitableAsk().on("a", AwaitableAsk.limit(5), 1)).now(store);
        assertThat(again.allowed() && again.repeated).isTrue();
        assertThat(StoreFixture.ask(store, "a", AwaitableAsk.limit(5), 0).outcome.remaining)
                .as("charged once")
                .isEqualTo(4);
    }

    @Test
    void whatOnFailHasAPartInIsNotKeptUnderItsIdempotencyKey() {
        redis.cli("SET", StoreFixture.redisKey("later"), LATER);
        AwaitableAsk asking = once(new AwaitableAsk()
                        .on("a", AwaitableAsk.limit(5), 1)
                        .on("later", AwaitableAsk.limit(5), 1))
                .now(store);
        assertThat(asking.failure()).isEqualTo(StoreFailure.UNKNOWN_FORMAT);
        assertThat(idempotencyKeys()).isEmpty();
    }

    private static List<String> idempotencyKeys() {
        return redis.cli("KEYS", "*/idem:*") instanceof List<?> keys
                ? keys.stream().map(String::valueOf).toList()
                : List.of();
    }

    /** Other kinds of news, and news that say more. */
    @Test
    void newsOfOtherKindsArePassedOverAndThoseThatSayMoreAreRead() throws Exception {
        NewsStream news = store.resetNews();
        get(news.post("first"));
        String stream = new String(RedisKey.ofNotes(0, "resets"), StandardCharsets.US_ASCII);
        redis.cli("XADD", stream, "*", "paused", "all of domain api");
        redis.cli("XADD", stream, "*", "version", "9", "r", "second", "by", "somebody");
        redis.cli("XADD", stream, "*", "v", "1", "w", "2");
        assertThat(get(news.next())).containsExactly("first", "second");
        get(news.post("third"));
        assertThat(get(news.next())).containsExactly("third");
    }

    @Test
    void notesOfOtherShapesArePassedOver() throws Exception {
        SharedNotes notes = store.notes("switches");
        assertThat(get(notes.post("known", 5, "text", ""))).isTrue();
        String board = new String(RedisKey.ofNotes(0, "switches"), StandardCharsets.US_ASCII);
        redis.cli("HSET", board, "v2", "{\"version\":2}", "later", "7 {\"version\":2}");
        assertThat(get(notes.read())).isEqualTo(Map.of("known", "text", "later", "{\"version\":2}"));
        assertThat(get(notes.post("later", 6, "older", ""))).as("newer stays").isFalse();
        assertThat(redis.cli("HGET", board, "later")).isEqualTo("7 {\"version\":2}");
    }

    private static <T> T get(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(5, TimeUnit.SECONDS);
    }
}
