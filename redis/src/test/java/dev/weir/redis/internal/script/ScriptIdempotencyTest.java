package dev.weir.redis.internal.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.RateAlgorithms;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Idempotency;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A request that is sent again is charged once. */
class ScriptIdempotencyTest {
    private static final long T0 = 1_700_000_000_000_000L;
    private static final long HOUR = 3_600_000_000L;
    private static final byte[] CALLER = hash("caller");
    private static final byte[] KEPT = RedisKey.ofIdempotency(CALLER);

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

    /** A request that takes {@code hits} from a counter of every algorithm, each with room for ten. */
    private static CheckGroup request(String key, String body, long hits) {
        CheckGroup group = new CheckGroup();
        long number = 0;
        for (Algorithm algorithm : RateAlgorithms.ALL) {
            group.add(check(++number, Meters.of(Limit.of(algorithm, 10, Duration.ofHours(1))), hits));
        }
        Limit parts =
                Limit.of(Algorithm.SLIDING_WINDOW, 10, Duration.ofHours(1)).withSubWindows(6);
        group.add(check(++number, Meters.of(parts), hits));
        group.idempotency = new Idempotency(CALLER, hash(key), hash(body), HOUR, 3);
        return group;
    }

    private static Check check(long number, Meter meter, long hits) {
        Check check = new Check();
        check.key0 = number;
        check.meter = meter;
        check.hits = hits;
        ScriptStore.name(check);
        return check;
    }

    private static byte[] hash(String text) {
        return Arrays.copyOf(text.getBytes(UTF_8), 16);
    }

    private CheckGroup send(String key, String body, long hits, long now) {
        CheckGroup group = request(key, body, hits);
        batch.clear();
        batch.add(group);
        assertThat(script.run(batch, now)).isEqualTo(BatchStatus.DONE);
        return group;
    }

    private static void assertRemaining(CheckGroup group, long remaining) {
        for (int i = 0; i < group.size(); i++) {
            assertThat(group.get(i).outcome.remaining)
                    .as("%s", group.get(i).meter)
                    .isEqualTo(remaining);
        }
    }

    @Test
    void sentAgainItIsNotChargedAndToldTheSame() {
        send("earlier", "a", 1, T0);
        CheckGroup first = send("k", "a", 3, T0 + 1);
        assertThat(first.allowed).isTrue();
        assertThat(first.repeated).isFalse();
        CheckGroup again = send("k", "a", 3, T0 + HOUR / 2);
        assertThat(again.repeated).isTrue();
        assertThat(again.allowed).isTrue();
        long passed = HOUR / 2 - 1;
        for (int i = 0; i < first.size(); i++) {
            Outcome then = first.get(i).outcome;
            Outcome now = again.get(i).outcome;
            assertThat(now.reset).isEqualTo(Math.max(0, then.reset - passed));
            assertThat(now.delay).isEqualTo(Math.max(0, then.delay - passed));
            now.reset = then.reset;
            now.delay = then.delay;
            assertThat(OutcomeValues.of(now)).isEqualTo(OutcomeValues.of(then));
        }
        assertRemaining(send("other", "a", 3, T0 + 1), 3);
    }

    @Test
    void anotherBodyUnderTheSameKeyIsAConflictThatChargesNothing() {
        send("k", "a", 3, T0);
        CheckGroup other = send("k", "b", 3, T0);
        assertThat(other.conflict).isTrue();
        assertThat(other.allowed).isFalse();
        assertRemaining(send("next", "a", 1, T0), 6);
    }

    @Test
    void twoThatComeAtOnceAreChargedOnce() {
        CheckGroup one = request("k", "a", 4);
        CheckGroup two = request("k", "a", 4);
        CheckGroup last = request("next", "a", 4);
        batch.add(one);
        batch.add(two);
        batch.add(last);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(one.repeated).isFalse();
        assertThat(two.repeated).isTrue();
        assertRemaining(two, 6);
        assertRemaining(last, 2);
    }

    @Test
    void aDenialIsNotKept() {
        send("fill", "a", 10, T0);
        assertThat(send("k", "a", 1, T0).allowed).isFalse();
        CheckGroup later = send("k", "a", 1, T0 + 3 * HOUR);
        assertThat(later.allowed).isTrue();
        assertThat(later.repeated).isFalse();
        assertThat(send("k", "b", 1, T0 + 3 * HOUR).conflict).isTrue();
    }

    @Test
    void itIsKnownForAsLongAsItIsKept() {
        send("k", "a", 1, T0);
        assertThat(send("k", "a", 1, T0 + HOUR - 1).repeated).isTrue();
        assertThat(send("k", "b", 1, T0 + HOUR).conflict).isFalse();
    }

    @Test
    void ofTooManyKeysTheOldestAreForgotten() {
        for (int i = 0; i < 50; i++) {
            assertThat(send("k" + i, "a", 0, T0).repeated).isFalse();
        }
        assertThat(send("k49", "a", 0, T0).repeated).isTrue();
        assertThat(send("k47", "a", 0, T0).repeated).isTrue();
        assertThat(send("k46", "a", 0, T0).repeated).isFalse();
        assertThat(script.redis().hlen(KEPT)).isEqualTo(7);
        assertThat(script.redis().pttl(KEPT)).isPositive();
    }

    @Test
    void aKeyOfAnotherTypeStartsAnew() {
        script.redis().set(KEPT, hash("x"));
        assertThat(send("k", "a", 1, T0).repeated).isFalse();
        assertThat(send("k", "a", 1, T0).repeated).isTrue();
    }

    @Test
    void underRulesThatChangedSinceItStillPassesAndChargesNothing() {
        send("k", "a", 3, T0);
        CheckGroup asked = request("k", "a", 3);
        CheckGroup more = new CheckGroup().add(check(99, Meters.of(Limit.tokenBucket(10, Duration.ofHours(1))), 3));
        for (int i = 0; i < asked.size(); i++) {
            more.add(asked.get(i));
        }
        more.idempotency = asked.idempotency;
        batch.clear();
        batch.add(more);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(more.repeated).isTrue();
        assertThat(more.allowed).isTrue();
        assertThat(more.get(0).outcome.remaining).isEqualTo(7);
        assertRemaining(send("next", "a", 1, T0), 6);
    }

    /** The store asks so while the hash slot migrates. */
    @Test
    void theKeyByItselfIsKeptAndKnown() {
        assertThat(keyAlone("looked up", true).repeated).isFalse();
        assertThat(keyAlone("looked up", false).repeated).isFalse();
        assertThat(keyAlone("looked up", true).repeated).isTrue();
        CheckGroup again = send("looked up", "a", 3, T0);
        assertThat(again.repeated).isTrue();
        assertThat(again.allowed).isTrue();
        assertThat(send("looked up", "b", 3, T0).conflict).isTrue();
        assertRemaining(send("with its counters", "a", 3, T0), 7);
        assertThat(keyAlone("with its counters", false).repeated).isTrue();
    }

    private CheckGroup keyAlone(String key, boolean lookOnly) {
        CheckGroup group = new CheckGroup();
        group.idempotency = request(key, "a", 1).idempotency;
        group.lookOnly = lookOnly;
        batch.clear();
        batch.add(group);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(group.allowed).isTrue();
        return group;
    }

    @Test
    void lookedUpOnlyItIsChargedAndNotKept() {
        for (int i = 0; i < 2; i++) {
            CheckGroup group = request("k", "a", 3);
            group.lookOnly = true;
            batch.clear();
            batch.add(group);
            assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
            assertThat(group.repeated).isFalse();
            assertThat(group.allowed).isTrue();
        }
        assertRemaining(send("k", "a", 1, T0), 3);
        CheckGroup known = request("k", "a", 1);
        known.lookOnly = true;
        batch.clear();
        batch.add(known);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(known.repeated).isTrue();
    }

    @Test
    void askedOnlyItIsToldOfWhatWasAdmittedAndElseKeepsNothing() {
        CheckGroup unknown = request("k", "a", 3);
        unknown.askOnly = true;
        batch.add(unknown);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(unknown.repeated).isFalse();
        assertRemaining(send("k", "a", 3, T0), 7);
        batch.clear();
        CheckGroup known = request("k", "a", 3);
        known.askOnly = true;
        batch.add(known);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(known.repeated).isTrue();
        assertThat(known.allowed).isTrue();
        assertRemaining(known, 7);
    }

    @Test
    void aKeyThatIsUsedAgainAfterItsTimeIsNotForgottenWithItsFirstUse() {
        send("k", "a", 1, T0);
        send("k", "a", 1, T0 + HOUR);
        send("x", "a", 0, T0 + HOUR);
        send("y", "a", 0, T0 + HOUR);
        assertThat(send("k", "a", 1, T0 + HOUR).repeated).isTrue();
        send("z", "a", 0, T0 + HOUR);
        assertThat(send("k", "a", 0, T0 + HOUR).repeated)
                .as("now it is the oldest")
                .isFalse();
    }

    @Test
    void anotherBodyIsAConflictAlsoIfItIsAboutAnotherSubject() {
        send("k", "a", 3, T0);
        CheckGroup other = new CheckGroup().add(check(77, Meters.of(Limit.tokenBucket(10, Duration.ofHours(1))), 3));
        other.idempotency = new Idempotency(CALLER, hash("k"), hash("b"), HOUR, 3);
        batch.clear();
        batch.add(other);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(other.conflict).isTrue();
    }

    @Test
    void callersDoNotShareKeys() {
        send("k", "a", 3, T0);
        CheckGroup other = request("k", "b", 3);
        other.idempotency = new Idempotency(hash("other"), hash("k"), hash("b"), HOUR, 3);
        batch.clear();
        batch.add(other);
        assertThat(script.run(batch, T0)).isEqualTo(BatchStatus.DONE);
        assertThat(other.conflict).isFalse();
        assertRemaining(other, 4);
    }
}
