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

/** Redis is healthy and reachable, but an open connection is dead without any notice. */
class DeadConnectionTest extends ProxiedRedisFixture {
    /** The longest time to detect it and reconnect. */
    private static final Duration NOTICED = Duration.ofSeconds(4);

    private static final String[] KEYS = {"a", "b", "c", "d", "e", "f", "g", "h"};

    @Test
    void onlyTheDeadOneOfTwoConnectionsIsReplaced() {
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

    /** By default the breaker opens after fifty failures, which take long with little traffic. */
    @Test
    void withLittleTrafficADeadConnectionIsReplacedBeforeManyRequestsFail() {
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

    /** Notes of other servers are polled, so a dead connection is detected without traffic. */
    @Test
    void withoutTrafficADeadConnectionIsReplacedToo() {
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

    /** TCP keep-alive, so that a NAT between Weir and Redis does not drop an idle connection. */
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

    /**
     * Returns when the kernel sends the next keep-alive, from its table: {@code sl local remote st tx:rx timer:when …}.
     */
    private static Duration keepAliveIn(String socket) {
        String[] timer = socket.strip().split("\\s+", -1)[5].split(":", -1);
        assertThat(timer[0]).as("keep-alive: %s", socket).isEqualTo("02");
        return Duration.ofMillis(Long.parseLong(timer[1], 16) * 10);
    }
}
