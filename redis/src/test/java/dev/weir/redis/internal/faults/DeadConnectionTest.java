package dev.weir.redis.internal.faults;

import static dev.weir.redis.internal.store.StoreFixture.DEADLINE;
import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.AwaitableAsk;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RespConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Redis is well and can be reached; a connection that was made before is dead, and nobody says so. */
class DeadConnectionTest extends ProxiedRedisFixture {
    /** What it takes to notice, and to connect anew. */
    private static final Duration NOTICED = Duration.ofSeconds(4);

    private static final String[] KEYS = {"a", "b", "c", "d", "e", "f", "g", "h"};

    @Test
    void whicheverOfTwoIsForgottenOnTheWayItAloneIsReplaced() {
        try (RedisSharedStore store =
                        StoreFixture.open(StoreFixture.settings(proxy.uri()).withConnections(2));
                SteadyLoad load = SteadyLoad.on(store, PLENTY, DEADLINE, KEYS)) {
            for (int i = 1; i <= 2; i++) {
                load.awaitServing(BACK);
                proxy.forgetOldest();
                load.awaitFailure(StoreFailure.TIMEOUT);
                load.awaitServing(NOTICED);
                assertThat(proxy.accepted()).as("connections").isEqualTo(2 + i);
            }
        }
    }

    /** By default it takes fifty failures until the breaker opens by itself, which is a long time where few ask. */
    @Test
    void whereFewAskAForgottenOneIsReplacedBeforeManyAreFailed() {
        RedisSettings settings = RedisSettings.of(proxy.uri()).withDeadline(DEADLINE);
        try (RedisSharedStore store = StoreFixture.open(settings)) {
            StoreFixture.awaitServed(store, "a");
            proxy.forgetOldest();
            await().atMost(NOTICED)
                    .until(() -> new AwaitableAsk()
                                    .on("a", PLENTY, 1)
                                    .now(store, DEADLINE)
                                    .checks
                                    .get(0)
                                    .failure
                            == null);
            assertThat(proxy.accepted()).as("connections").isEqualTo(2);
            assertThat(store.stats().failures(StoreFailure.TIMEOUT)).isLessThan(25);
        }
    }

    /** What the other servers left word of is looked for every now and then: so it is noticed where nobody asks at all. */
    @Test
    void whereNobodyAsksTheOneThatIsForgottenIsReplacedTheSame() {
        try (RedisSharedStore store = StoreFixture.open(proxy.uri())) {
            StoreFixture.awaitServed(store, "a");
            proxy.forgetOldest();
            assertThat(store.resetNews().next()).failsWithin(Duration.ofSeconds(3));
            await().atMost(NOTICED).until(() -> proxy.accepted() == 2 && store.serves());
        }
    }

    @Test
    void slowAnswersAreAnswersAndTheConnectionStays() {
        try (RedisSharedStore store = StoreFixture.open(proxy.uri());
                SteadyLoad load = SteadyLoad.on(store, PLENTY, DEADLINE, KEYS)) {
            load.awaitServing(BACK);
            proxy.latency(Duration.ZERO, Duration.ofMillis(300));
            load.awaitOpen();
            load.next();
            load.awaitFailures(2_500);
            assertThat(proxy.accepted()).as("connections").isEqualTo(1);
            proxy.flow();
            load.awaitServing(BACK);
        }
    }

    @Test
    void oneOfTwoThatCannotBeHadAgainIsSeenInHealth() throws IOException {
        try (RedisSharedStore store =
                        StoreFixture.open(StoreFixture.settings(redis.uri()).withConnections(2));
                RespConnection admin = redis.connect()) {
            await().until(store::serves);
            List<String> ours = ours(admin);
            assertThat(ours).hasSize(2);
            for (String id : ours) {
                admin.call("CONFIG", "SET", "maxclients", "2");
                admin.call("CLIENT", "KILL", "ID", id);
                await().until(() -> !store.serves());
                admin.call("CONFIG", "SET", "maxclients", "10000");
                await().until(store::serves);
            }
        }
    }

    private static List<String> ours(RespConnection admin) throws IOException {
        return String.valueOf(admin.call("CLIENT", "LIST"))
                .lines()
                .filter(line -> line.contains(" name=weir "))
                .map(line -> line.substring("id=".length(), line.indexOf(' ')))
                .toList();
    }

    /** So that what is between us and Redis does not forget a connection over which nothing is said. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void anIdleConnectionIsKeptAlive() throws IOException {
        try (RedisSharedStore store = StoreFixture.open(proxy.uri())) {
            await().until(store::serves);
            String remote = String.format(Locale.ROOT, ":%04X 01 ", proxy.port());
            await().untilAsserted(() -> assertThat(sockets())
                    .filteredOn(line -> line.contains(remote))
                    .singleElement()
                    .satisfies(line -> assertThat(keepAliveIn(line)).isBetween(Duration.ZERO, Duration.ofSeconds(31))));
        }
    }

    private static List<String> sockets() throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(Path.of("/proc/net/tcp")));
        lines.addAll(Files.readAllLines(Path.of("/proc/net/tcp6")));
        return lines;
    }

    /** When the kernel will say something, as its table tells: {@code sl local remote st tx:rx timer:when …}. */
    private static Duration keepAliveIn(String socket) {
        String[] timer = socket.strip().split("\\s+", -1)[5].split(":", -1);
        assertThat(timer[0]).as("keep-alive: %s", socket).isEqualTo("02");
        return Duration.ofMillis(Long.parseLong(timer[1], 16) * 10);
    }
}
