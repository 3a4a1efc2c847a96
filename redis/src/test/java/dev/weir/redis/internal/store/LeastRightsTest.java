package dev.weir.redis.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.PermitLevels;
import dev.weir.internal.algorithm.PermitSet;
import dev.weir.internal.counter.CounterName;
import dev.weir.internal.store.Idempotency;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisCluster;
import dev.weir.redis.testkit.RedisProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The rights that docs/redis.md says a user needs are enough for all that a store does: Redis has refused nothing. */
class LeastRightsTest {
    private static final Path PAGE = Path.of("../docs/redis.md");

    /** The user of the page, as a line of redis.conf. */
    private static String user() throws Exception {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("user weir "))
                .findFirst()
                .orElseThrow()
                .replace(">PASSWORD", ">secret");
    }

    @Test
    void thePermissionsSuffice() throws Exception {
        try (RedisProcess redis = RedisProcess.start(user());
                RedisSharedStore store = open("redis://weir:secret@" + redis.address())) {
            useAll(store);
            assertRefusedNothing(redis);
        }
    }

    @Test
    void thePermissionsSufficeOnAValkey() throws Exception {
        try (RedisProcess valkey = RedisProcess.startValkey(user() + " +client|setinfo");
                RedisSharedStore store = open("redis://weir:secret@" + valkey.address())) {
            useAll(store);
            assertRefusedNothing(valkey);
        }
    }

    @Test
    void thePermissionsSufficeOnACluster() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(true, user() + " +cluster|slots +asking");
                RedisSharedStore store = open(cluster.uri().replace("://", "://weir:secret@"))) {
            useAll(store);
            cluster.nodes().forEach(LeastRightsTest::assertRefusedNothing);
        }
    }

    private static RedisSharedStore open(String uri) {
        RedisSharedStore store = RedisSharedStore.open(RedisSettings.of(uri).withDeadline(Duration.ofSeconds(5)));
        AwaitableAsk.awaitServing(store);
        return store;
    }

    private static void useAll(RedisSharedStore store) throws Exception {
        assertThat(store.warmUp(Duration.ofSeconds(10))).isTrue(); // every algorithm, beyond its limit
        Limit fine = Limit.slidingWindow(10, Duration.ofSeconds(10)).withSubWindows(10);
        AwaitableAsk several = new AwaitableAsk().on("fine", Meters.of(fine), 1);
        assertThat(several.now(store).allowed()).isTrue();

        for (int i = 0; i < 3; i++) { // the third pushes out the first
            AwaitableAsk once = new AwaitableAsk().on("once", AwaitableAsk.limit(10), 1);
            once.idempotency = new Idempotency(hash("caller"), hash("key" + i), hash("body"), 1_000_000, 2);
            assertThat(once.now(store).failure()).isNull();
        }

        PermitSet permits = (PermitSet) Meters.of(Limit.concurrency(5, Duration.ofMinutes(1)));
        AwaitableAsk taken = new AwaitableAsk().on("permits", permits.holding(1, 3), 3);
        assertThat(taken.now(store).failure()).isNull();
        CounterName counter = new CounterName();
        counter.set(taken.checks.get(0).name);
        assertThat(get(store.inspectPermits(counter)))
                .hasValueSatisfying(state -> assertThat(state.used()).isEqualTo(3));
        assertThat(new AwaitableAsk()
                        .on("permits", permits.renewing(1, 3), 3)
                        .now(store)
                        .failure())
                .isNull();
        assertThat(new AwaitableAsk().on("permits", permits, -1).now(store).failure())
                .isNull();
        assertThat(new AwaitableAsk()
                        .on("permits", permits.holding(1, 3), -3)
                        .now(store)
                        .failure())
                .isNull();
        assertThat(get(store.inspectPermits(counter))).isEmpty();

        PermitLevels levels = PermitLevels.of(Limit.concurrency(5, Duration.ofMinutes(1)));
        AwaitableAsk told = new AwaitableAsk().on("levels", levels.telling(7, 1, 0, 2, 3, 0, 0), 1);
        assertThat(told.now(store).failure()).isNull();
        assertThat(new AwaitableAsk()
                        .on("levels", levels.mailing(7, 1), 1)
                        .now(store)
                        .failure())
                .isNull();
        counter.set(told.checks.get(0).name);
        assertThat(get(store.inspectLevels(counter)))
                .hasValueSatisfying(state -> assertThat(state.used()).isEqualTo(3));
        assertThat(new AwaitableAsk()
                        .on("levels", levels.telling(7, 2, 0, 0, 0, 0, 1), 1)
                        .now(store)
                        .failure())
                .isNull();
        assertThat(get(store.inspectLevels(counter))).isEmpty();

        CounterName name = new CounterName();
        name.set(several.checks.get(0).name);
        assertThat(get(store.inspect(name))).isPresent();
        assertThat(get(store.reset(name))).isTrue();
        get(store.resetNews().post("reset"));
        assertThat(get(store.resetNews().next())).containsExactly("reset");
        assertThat(get(store.notes("switches").post("a", 1, "text", ""))).isTrue();
        assertThat(get(store.notes("switches").read())).containsEntry("a", "text");
        long number = Long.parseLong(get(store.notes("switches").count()).orElseThrow());
        assertThat(number).isPositive();
        assertThat(get(store.notes("switches").post("b", 1, "text", ""))).isTrue();
        assertThat(get(store.notes("switches").count()))
                .hasValueSatisfying(next -> assertThat(Long.parseLong(next)).isGreaterThan(number));
        get(store.nodes().post("a:6070", "text"));
        assertThat(get(store.nodes().read())).hasSize(1);
        get(store.nodes().remove("a:6070"));
    }

    private static void assertRefusedNothing(RedisProcess redis) {
        assertThat((List<?>) redis.cli("ACL", "LOG"))
                .as("refused by " + redis.address())
                .isEmpty();
    }

    private static byte[] hash(String text) {
        return Arrays.copyOf(text.getBytes(UTF_8), Idempotency.HASH);
    }

    private static <T> T get(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(5, TimeUnit.SECONDS);
    }
}
