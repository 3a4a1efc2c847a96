package dev.weir.redis.internal.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.redis.testkit.RedisProcess;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The program that a batch sends, and how it reads the reply. */
class ScriptBatchTest {
    private static final long T0 = 1_700_000_000_000_000L;
    private static final Meter TEN = Meters.of(Limit.tokenBucket(10, Duration.ofMinutes(1)));

    private static final List<Check.Role> ROLES = List.of(Check.Role.ENFORCE, Check.Role.SHADOW, Check.Role.QUOTA);

    private static RedisProcess redis;
    private static ScriptStore script;

    private final ScriptBatch batch = new ScriptBatch();

    @BeforeAll
    static void startRedis() {
        redis = RedisProcess.start();
        script = new ScriptStore(redis);
    }

    @AfterAll
    static void stopRedis() {
        script.shutDown();
        redis.stop();
    }

    @AfterEach
    void forget() {
        script.close();
    }

    private static Check check(long key, Meter meter, long hits) {
        Check check = new Check();
        check.key0 = key;
        check.meter = meter;
        check.hits = hits;
        ScriptStore.name(check);
        return check;
    }

    private Check add(long key, Meter meter, long hits) {
        Check check = check(key, meter, hits);
        assertThat(batch.add(new CheckGroup().add(check))).isTrue();
        return check;
    }

    @Test
    void hitsAheadAreTakenAsFarAsTheyFitAndOnlyForWhatPassed() {
        Check first = check(1, TEN, 2);
        first.ahead = 5;
        Check second = check(1, TEN, 1);
        second.ahead = 5;
        Check denied = check(1, TEN, 1);
        denied.ahead = 5;
        for (Check each : List.of(first, second, denied)) {
            assertThat(batch.add(new CheckGroup().add(each))).isTrue();
        }
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(first.granted).isEqualTo(5);
        assertThat(first.outcome.remaining).isEqualTo(3);
        assertThat(second.granted).isEqualTo(2);
        assertThat(denied.outcome.allowed).isFalse();
        assertThat(denied.granted).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"LEAKY_BUCKET", "CONCURRENCY"})
    void aGrantAskedForAgainIsTheSameGrantAndNothingIsTaken(Algorithm algorithm) {
        Meter meter = Meters.of(Limit.of(algorithm, 10, Duration.ofMinutes(1)));
        Check asked = lease(meter, 5, 1, false);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(asked.granted).isEqualTo(5);
        for (int times = 0; times < 2; times++) {
            batch.clear();
            Check again = lease(meter, 1, 1, true);
            Check other = lease(meter, 1, 2, true);
            assertThat(script.run(batch, T0 + 1)).isEqualTo(BatchStatus.DONE);
            assertThat(again.granted).isEqualTo(5);
            assertThat(again.outcome.remaining).isEqualTo(5);
            assertThat(meter.windowOf(again.outcome)).isEqualTo(meter.windowOf(asked.outcome));
            assertThat(other.granted).as("never granted").isZero();
        }
    }

    @Test
    void aGrantOfAWindowThatIsOverIsNotGivenAgain() {
        Meter meter = Meters.of(Limit.fixedWindow(10, Duration.ofSeconds(1)));
        lease(meter, 5, 1, false);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        batch.clear();
        Check unused = lease(meter, 1, 1, true);
        assertThat(script.run(batch, T0 + 1_000_000)).isEqualTo(BatchStatus.DONE);
        assertThat(unused.granted).isZero();
        batch.clear();
        add(1, meter, 1);
        Check used = lease(meter, 1, 1, true);
        assertThat(script.run(batch, T0 + 1_000_000)).isEqualTo(BatchStatus.DONE);
        assertThat(used.granted).isZero();
        assertThat(used.outcome.remaining).isEqualTo(9);
    }

    private Check lease(Meter meter, long ahead, long grant, boolean again) {
        Check check = check(1, meter, 0);
        check.ahead = ahead;
        check.lessee = 77;
        check.grant = grant;
        check.again = again;
        assertThat(batch.add(new CheckGroup().add(check))).isTrue();
        return check;
    }

    @Test
    void aRequestThatIsDeniedGetsNothingAheadEvenOfWhatIsLeft() {
        Check tooMuch = check(1, TEN, 11);
        tooMuch.ahead = 3;
        assertThat(batch.add(new CheckGroup().add(tooMuch))).isTrue();
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(tooMuch.granted).isZero();
        assertThat(tooMuch.outcome.remaining).isEqualTo(10);
    }

    @Test
    void theSameCheckAskedByManyIsOneEntryAndEachGetsItsOwnAnswer() {
        add(1, TEN, 1);
        int bytes = batch.args(0)[0].length;
        List<Check> waiters = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            waiters.add(add(1, TEN, 1));
        }
        assertThat(batch.args(0)[0]).hasSize(bytes);
        assertThat(batch.keys(false)).hasNumberOfRows(1);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(waiters).extracting(waiter -> waiter.outcome.remaining).startsWith(8L, 7L, 6L);
        assertThat(waiters).filteredOn(waiter -> waiter.outcome.allowed).hasSize(9);
        assertThat(batch.group(11).allowed).isFalse();
    }

    @Test
    void aCheckInBetweenKeepsItsOrder() {
        add(1, TEN, 4);
        Check between = add(1, TEN, -3);
        add(1, TEN, 4);
        Check last = add(1, TEN, 4);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(between.outcome.remaining).isEqualTo(9);
        assertThat(last.outcome.remaining).isEqualTo(1);
    }

    @Test
    void aLimitChangedWhileABatchCollectsIsTwoMetersOnOneCounter() {
        Meter twenty = Meters.of(Limit.tokenBucket(20, Duration.ofMinutes(1)));
        add(1, TEN, 8);
        Check raised = add(1, twenty, 8);
        Check old = add(1, TEN, 1);
        assertThat(batch.counters()).isEqualTo(1);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(raised.outcome.remaining).isEqualTo(4);
        assertThat(old.outcome.allowed).isFalse();
    }

    @Test
    void anAlgorithmChangedOnOneNameStartsAnew() {
        add(1, TEN, 8);
        script.run(batch, T0);
        batch.clear();
        Check other = add(1, Meters.of(Limit.fixedWindow(10, Duration.ofMinutes(1))), 1);
        Check both = add(1, TEN, 1);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(other.outcome.remaining).isEqualTo(9);
        assertThat(both.outcome.remaining).isEqualTo(1);
    }

    @Test
    void aBatchThatComesTooLateChargesNothing() {
        Check late = add(1, TEN, 1);
        assertThat(batch.read(script.call(batch, T0, T0 - 1))).isEqualTo(BatchStatus.EXPIRED);
        assertThat(batch.timeMicros()).isEqualTo(T0);
        assertThat(script.redis().dbsize()).isZero();
        assertThat(batch.read(script.call(batch, T0, T0))).isEqualTo(BatchStatus.DONE);
        assertThat(late.outcome.remaining).isEqualTo(9);
    }

    @Test
    void aDenialWritesNothing() {
        add(1, TEN, 10);
        script.run(batch, T0);
        redis.cli("CONFIG", "RESETSTAT");
        batch.clear();
        add(1, TEN, 1);
        add(2, TEN, 0);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(redis.commandCalls()).doesNotContainKey("set").containsEntry("mget", 1L);
    }

    @Test
    void aCounterAsGoodAsNewIsForgotten() {
        add(1, TEN, 3);
        script.run(batch, T0);
        assertThat(script.redis().dbsize()).isOne();
        batch.clear();
        add(1, TEN, -3);
        script.run(batch, T0);
        assertThat(script.redis().dbsize()).isZero();
    }

    @Test
    void onlyAsMuchAsTheBoundsAllowIsTakenUp() {
        ScriptBatch small = new ScriptBatch(3, 1 << 20, 4);
        CheckGroup large =
                new CheckGroup().add(check(1, TEN, 1)).add(check(2, TEN, 1)).add(check(3, TEN, 1));
        assertThat(small.add(large)).as("all that it may cost").isTrue();
        small.clear();
        assertThat(small.add(large.add(check(4, TEN, 1))))
                .as("an empty one, more than it may cost")
                .isFalse();
        assertThat(small.groups()).isZero();
        assertThat(small.add(new CheckGroup().add(check(1, TEN, 1)))).isTrue();
        assertThat(small.add(new CheckGroup().add(check(1, TEN, 1)).add(check(2, TEN, 1))))
                .isTrue();
        assertThat(small.add(new CheckGroup().add(check(3, TEN, 1)))).as("cost").isFalse();
        ScriptBatch few = new ScriptBatch(3, 1 << 20, 4);
        for (int i = 0; i < 4; i++) {
            assertThat(few.add(new CheckGroup().add(check(2, TEN, 1))))
                    .as("a run")
                    .isTrue();
        }
        assertThat(few.add(new CheckGroup().add(check(2, TEN, 1)))).as("groups").isFalse();
        ScriptBatch short100 = new ScriptBatch(100, 100, 100);
        assertThat(short100.add(new CheckGroup().add(check(1, TEN, 1)))).isTrue();
        assertThat(short100.add(new CheckGroup().add(check(2, TEN, 1)))).isTrue();
        assertThat(short100.add(new CheckGroup().add(check(3, TEN, 1))))
                .as("bytes")
                .isFalse();
    }

    /**
     * Bounds of a batch: new counters worth one to two milliseconds of Redis's time, and requests on two counters that
     * join no run.
     */
    @ParameterizedTest
    @CsvSource({
        "TOKEN_BUCKET, 1, 256, 128",
        "SLIDING_WINDOW, 10, 128, 64",
        "SLIDING_WINDOW, 60, 85, 42",
        "SLIDING_WINDOW, 1000, 9, 4",
        "SLIDING_WINDOW_LOG, 1, 42, 21"
    })
    void noCallOfTheScriptTakesLong(Algorithm algorithm, int parts, int counters, int together) {
        Meter meter = Meters.of(new Limit(algorithm, 10, 60_000_000, 10, parts));
        assertThat(taken(i -> new CheckGroup().add(check(i, meter, 1)))).isEqualTo(counters);
        assertThat(taken(i -> new CheckGroup().add(check(1, meter, 1)).add(check(2, meter, 1))))
                .isEqualTo(together);
    }

    private int taken(IntFunction<CheckGroup> groups) {
        batch.clear();
        while (batch.add(groups.apply(batch.groups()))) {
            assertThat(batch.groups()).isLessThan(ScriptBatch.DEFAULT_MAX_GROUPS);
        }
        return batch.groups();
    }

    @Test
    void moreKeysThanLuaCanPassAtOnceAreReadInParts() {
        ScriptBatch large = new ScriptBatch(20_000, 1 << 20, 10_000);
        List<Check> checks = new ArrayList<>();
        for (int i = 0; i < 9_000; i++) {
            checks.add(check(i, TEN, 1 + i % 10));
            assertThat(large.add(new CheckGroup().add(checks.get(i)))).isTrue();
        }
        assertThat(script.run(large, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(script.run(large, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(checks.get(8_001).outcome.remaining).isEqualTo(6);
    }

    @Test
    void aReplyThatTheMetersDoNotConfirmIsBroken() {
        add(1, TEN, 1);
        List<Object> reply = script.call(batch, T0, Long.MAX_VALUE);
        assertThat(batch.read(reply)).isEqualTo(BatchStatus.DONE);
        assertThat(batch.read(Arrays.asList(null, T0, 1L))).isEqualTo(BatchStatus.DONE);
        assertThat(batch.read(Arrays.asList(null, T0, 7L))).isEqualTo(BatchStatus.BROKEN);
        assertThat(batch.read(List.of(7L, T0, 1L))).isEqualTo(BatchStatus.BROKEN);
        assertThat(batch.read(Arrays.asList(null, T0, 1L, 1L))).isEqualTo(BatchStatus.BROKEN);
        assertThat(batch.read(Arrays.asList(null, "now", 1L))).isEqualTo(BatchStatus.BROKEN);
        assertThat(batch.read(List.of(T0, 1L))).isEqualTo(BatchStatus.BROKEN);
        assertThat(batch.read(List.of("OK"))).isEqualTo(BatchStatus.BROKEN);
        assertThat(batch.read(List.of())).isEqualTo(BatchStatus.BROKEN);
    }

    /** Redis's clock would be taken to have been set back. */
    @Test
    void aReplyWithoutATimeDoesNotTellThatOfTheBatchBefore() {
        add(1, TEN, 1);
        script.run(batch, T0);
        batch.clear();
        add(1, TEN, 1);
        assertThat(batch.read(List.of("OK"))).isEqualTo(BatchStatus.BROKEN);
        assertThat(batch.timeMicros()).isZero();
    }

    @Test
    void aCheckWithoutMeterIsRefused() {
        Check check = check(1, TEN, 1);
        check.meter = null;
        assertThatThrownBy(() -> batch.add(new CheckGroup().add(check))).hasMessageStartingWith("meter: null");
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void keysOfOtherTypesAndStatesThatNobodyWroteStartAnewAndLaterFormatsAreLeftAlone(Algorithm algorithm) {
        for (int parts : new int[] {1, 10}) {
            Limit limit = Limit.of(algorithm, 10, Duration.ofMinutes(1));
            Meter meter = Meters.of(algorithm == Algorithm.SLIDING_WINDOW ? limit.withSubWindows(parts) : limit);
            for (int i = 0; i < 24; i++) {
                Check check = check(i, meter, 1);
                byte[] key = RedisKey.of(check.name);
                spoil(key, i);
                batch.clear();
                batch.add(new CheckGroup().add(check));
                byte[] before = i > 5 ? script.redis().get(key) : null;
                assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
                assertThat(check.outcome.allowed).as("%s after %d", limit, i).isTrue();
                assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
                if (before == null) {
                    assertThat(check.failure).isNull();
                    assertThat(check.outcome.remaining).isEqualTo(8);
                } else {
                    assertThat(check.failure).isEqualTo(StoreFailure.UNKNOWN_FORMAT);
                    assertThat(batch.unknownChecks()).isEqualTo(1);
                    assertThat(script.redis().get(key)).isEqualTo(before);
                }
            }
            script.close();
        }
    }

    /** Writes a value under {@code key} that no meter wrote. */
    private static void spoil(byte[] key, int how) {
        byte[] value = "x".getBytes(UTF_8);
        if (how == 0) {
            script.redis().hset(key, value, value);
        } else if (how == 1) {
            script.redis().rpush(key, value);
        } else if (how == 2) {
            script.redis().set(key, new byte[0]);
        } else {
            byte[] bytes = new byte[how % 2 == 0 ? how : 19 + how];
            Arrays.fill(bytes, (byte) how);
            script.redis().set(key, bytes);
        }
    }

    /** Requests with and without it, in groups, runs and leases, with any roles: the meters confirm what the script did. */
    @Test
    void aCounterInALaterFormatStopsNobodyElseInItsBatch() {
        Limit limit = Limit.fixedWindow(10, Duration.ofMinutes(1));
        Meter[] meters = {
            TEN,
            Meters.of(limit),
            Meters.of(Limit.slidingWindow(10, Duration.ofMinutes(1))),
            Meters.of(Limit.slidingWindow(10, Duration.ofMinutes(1)).withSubWindows(10)),
            Meters.of(Limit.of(Algorithm.SLIDING_WINDOW_LOG, 10, Duration.ofMinutes(1)))
        };
        Random random = new Random(11);
        for (int round = 0; round < 300; round++) {
            script.close();
            for (int later = 0; later < meters.length; later++) {
                script.redis().set(RedisKey.of(check(later, TEN, 0).name), new byte[] {6, 1, 2});
            }
            batch.clear();
            List<Check> unknown = new ArrayList<>();
            List<Check> known = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                CheckGroup group = new CheckGroup();
                group.askOnly = random.nextInt(8) == 0;
                for (int j = random.nextInt(3); j >= 0; j--) {
                    int kind = random.nextInt(meters.length);
                    boolean isUnknown = random.nextInt(3) == 0;
                    Check check = check(isUnknown ? kind : 100 + kind, meters[kind], random.nextInt(7) - 1);
                    check.role = ROLES.get(random.nextInt(ROLES.size()));
                    check.countsDenied = random.nextInt(4) == 0;
                    check.ahead = random.nextInt(4) == 0 ? 3 : 0;
                    (isUnknown ? unknown : known).add(check);
                    group.add(check);
                }
                assertThat(batch.add(group)).isTrue();
            }
            assertThat(script.run(batch, T0)).as("round %d", round).isEqualTo(BatchStatus.DONE);
            assertThat(batch.unknownChecks()).isEqualTo(unknown.size());
            assertThat(unknown).allSatisfy(check -> {
                assertThat(check.failure).isEqualTo(StoreFailure.UNKNOWN_FORMAT);
                assertThat(check.granted).isZero();
                assertThat(script.redis().get(RedisKey.of(check.name))).isEqualTo(new byte[] {6, 1, 2});
            });
            assertThat(known).allSatisfy(check -> assertThat(check.failure).isNull());
        }
    }

    @Test
    void anyBytesInAStateAreReadAlikeByBothTwins() {
        Meter[] meters = {
            TEN,
            Meters.of(Limit.fixedWindow(10, Duration.ofMinutes(1))),
            Meters.of(Limit.slidingWindow(10, Duration.ofMinutes(1)))
        };
        int[] lengths = {24, 21, 24};
        Random random = new Random(7);
        for (int i = 0; i < 600; i++) {
            int kind = i % 3;
            byte[] state = new byte[lengths[kind]];
            random.nextBytes(state);
            if (i % 2 == 0) {
                Arrays.fill(state, 7, 9, (byte) 0xFF);
            } else {
                state[7] = 0;
                state[8] = 6;
            }
            state[0] = (byte) (kind + 1);
            Check check = check(i, meters[kind], random.nextInt(4) - 1);
            script.redis().set(RedisKey.of(check.name), state);
            batch.clear();
            batch.add(new CheckGroup().add(check));
            assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
            byte[] after = script.redis().get(RedisKey.of(check.name));
            assertThat(StateFormat.word0(meters[kind].counting(), after)).isEqualTo(batch.word0(check));
            assertThat(StateFormat.word1(meters[kind].counting(), after)).isEqualTo(batch.word1(check));
        }
    }

    @Test
    void aTokenBucketTakesAtMost128BytesUnderAKeyOf40Characters() {
        Check check = check(0x1234_5678_9abc_def0L, TEN, 1);
        check.name.clear();
        while (RedisKey.of(check.name).length < 40) {
            check.name.append((byte) 'n');
        }
        batch.add(new CheckGroup().add(check));
        script.run(batch, T0);
        Long bytes = script.redis().memoryUsage(RedisKey.of(check.name));
        assertThat(bytes).isBetween(40L, 128L);
    }

    @Test
    void theScriptOnRedisOwnClockCountsAndForgets() {
        BatchScript real = BatchScript.load();
        Check check = add(1, Meters.of(Limit.fixedWindow(10, Duration.ofDays(1))), 3);
        List<Object> reply =
                script.redis().eval(real.text(), ScriptOutputType.MULTI, batch.keys(false), batch.args(Long.MAX_VALUE));
        assertThat(batch.read(reply)).isEqualTo(BatchStatus.DONE);
        assertThat(check.outcome.remaining).isEqualTo(7);
        long now = System.currentTimeMillis() * 1_000;
        assertThat(batch.timeMicros()).isBetween(now - 60_000_000, now + 60_000_000);
        assertThat(script.redis().pttl(RedisKey.of(check.name)))
                .isBetween(check.outcome.reset / 1_000 - 60_000, check.outcome.reset / 1_000 + 5);
        assertThat(script.redis().scriptExists(real.digest())).containsExactly(true);
        assertThat(new String(real.text(), UTF_8))
                .contains("redis.call('TIME')")
                .doesNotContain("\n--");
    }
}
