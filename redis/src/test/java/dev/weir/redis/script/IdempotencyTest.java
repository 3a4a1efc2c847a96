package dev.weir.redis.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.algorithm.Meter;
import dev.weir.algorithm.Meters;
import dev.weir.model.Algorithm;
import dev.weir.model.Limit;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.store.Check;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A request that is sent again is charged once. */
class IdempotencyTest {
    private static final long T0 = 1_700_000_000_000_000L;
    private static final long HOUR = 3_600_000_000L;
    private static final long SUBJECT = 42;

    private static RedisProcess redis;
    private static ScriptStore script;

    private final Batch batch = new Batch();

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
    private static Group request(String key, String body, long hits) {
        Group group = new Group();
        long number = 0;
        for (Algorithm algorithm : Algorithm.values()) {
            group.add(check(++number, Meters.of(Limit.of(algorithm, 10, Duration.ofHours(1))), hits));
        }
        Limit parts =
                Limit.of(Algorithm.SLIDING_WINDOW, 10, Duration.ofHours(1)).withSubWindows(6);
        group.add(check(++number, Meters.of(parts), hits));
        group.idempotency = new Idempotency(SUBJECT, hash(key), hash(body), HOUR, 3);
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

    private Group send(String key, String body, long hits, long now) {
        Group group = request(key, body, hits);
        batch.clear();
        batch.add(group);
        assertThat(script.run(batch, now)).isEqualTo(Reply.DONE);
        return group;
    }

    private static void assertRemaining(Group group, long remaining) {
        for (int i = 0; i < group.size(); i++) {
            assertThat(group.get(i).outcome.remaining)
                    .as("%s", group.get(i).meter)
                    .isEqualTo(remaining);
        }
    }

    @Test
    void sentAgainItIsNotChargedAndToldTheSame() {
        send("earlier", "a", 1, T0);
        Group first = send("k", "a", 3, T0 + 1);
        assertThat(first.allowed).isTrue();
        assertThat(first.repeated).isFalse();
        Group again = send("k", "a", 3, T0 + HOUR / 2);
        assertThat(again.repeated).isTrue();
        assertThat(again.allowed).isTrue();
        for (int i = 0; i < first.size(); i++) {
            assertThat(Told.of(again.get(i).outcome)).isEqualTo(Told.of(first.get(i).outcome));
        }
        assertRemaining(send("other", "a", 3, T0 + 1), 3);
    }

    @Test
    void anotherBodyUnderTheSameKeyIsAConflictThatChargesNothing() {
        send("k", "a", 3, T0);
        Group other = send("k", "b", 3, T0);
        assertThat(other.conflict).isTrue();
        assertThat(other.allowed).isFalse();
        assertRemaining(send("next", "a", 1, T0), 6);
    }

    @Test
    void twoThatComeAtOnceAreChargedOnce() {
        Group one = request("k", "a", 4);
        Group two = request("k", "a", 4);
        Group last = request("next", "a", 4);
        batch.add(one);
        batch.add(two);
        batch.add(last);
        assertThat(script.run(batch, T0)).isEqualTo(Reply.DONE);
        assertThat(one.repeated).isFalse();
        assertThat(two.repeated).isTrue();
        assertRemaining(two, 6);
        assertRemaining(last, 2);
    }

    @Test
    void aDenialIsNotKept() {
        send("fill", "a", 10, T0);
        assertThat(send("k", "a", 1, T0).allowed).isFalse();
        Group later = send("k", "a", 1, T0 + 3 * HOUR);
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
        assertThat(script.redis().hlen(RedisKey.ofIdempotency(SUBJECT))).isEqualTo(7);
        assertThat(script.redis().pttl(RedisKey.ofIdempotency(SUBJECT))).isPositive();
    }

    @Test
    void aKeyOfAnotherTypeStartsAnew() {
        script.redis().set(RedisKey.ofIdempotency(SUBJECT), hash("x"));
        assertThat(send("k", "a", 1, T0).repeated).isFalse();
        assertThat(send("k", "a", 1, T0).repeated).isTrue();
    }

    @Test
    void underRulesThatChangedSinceItStillPassesAndChargesNothing() {
        send("k", "a", 3, T0);
        Group more = request("k", "a", 3).add(check(99, Meters.of(Limit.tokenBucket(10, Duration.ofHours(1))), 3));
        batch.clear();
        batch.add(more);
        assertThat(script.run(batch, T0)).isEqualTo(Reply.DONE);
        assertThat(more.repeated).isTrue();
        assertThat(more.allowed).isTrue();
        assertThat(more.get(more.size() - 1).outcome.remaining).isEqualTo(7);
        assertRemaining(send("next", "a", 1, T0), 6);
    }

    @Test
    void keysThatAreNoHashesAreRefused() {
        assertThatThrownBy(() -> new Idempotency(1, new byte[2], new byte[16], 1, 1))
                .hasMessageContaining("2 and 16 bytes");
        assertThatThrownBy(() -> new Idempotency(1, new byte[16], new byte[16], 0, 1))
                .hasMessageContaining("keepMicros and most: 0 and 1");
    }
}
