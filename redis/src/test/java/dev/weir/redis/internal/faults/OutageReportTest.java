package dev.weir.redis.internal.faults;

import static dev.weir.redis.internal.store.StoreFixture.DEADLINE;
import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.node.NodeLog;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.redis.testkit.RespConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Filter;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The log and the health of an outage: one line for each kind of failure, and Redis's error in the health. */
class OutageReportTest {
    private static final Duration BACK = Duration.ofSeconds(10);

    private final Logger logger = Logger.getLogger(NodeLog.class.getName());
    private final Filter before = logger.getFilter();
    private final List<String> lines = new CopyOnWriteArrayList<>();

    private RedisProcess redis;
    private RedisSharedStore store;
    private SteadyLoad load;

    @BeforeEach
    void open() {
        redis = RedisProcess.start("user weir on >secret ~* +@all");
        store = StoreFixture.open("redis://weir:secret@" + redis.address());
        load = SteadyLoad.on(store, PLENTY, DEADLINE, "a", "b");
        load.awaitServing(BACK);
        logger.setFilter(record -> lines.add(record.getLevel() + " " + record.getMessage()));
    }

    @AfterEach
    void close() {
        logger.setFilter(before);
        load.close();
        store.close();
        redis.stop();
    }

    private List<String> loud() {
        return lines.stream().filter(line -> !line.startsWith("INFO")).toList();
    }

    /** Waits until it was connected to again, and found no better, so often. */
    private void awaitConnects(int times) {
        long connects = store.stats().connects();
        await().until(() -> store.stats().connects() >= connects + times);
    }

    @Test
    void aReplicaIsConnectedToAgainAndAgainAndTheLogDoesNotFillWithIt() {
        redis.cli("REPLICAOF", "127.0.0.1", "1");
        load.awaitFailure(StoreFailure.UNAVAILABLE);
        awaitConnects(6);
        assertThat(loud()).hasSize(2).allMatch(line -> line.contains("READONLY You can't write"));
        assertThat(lines).isEqualTo(loud());
        redis.cli("REPLICAOF", "NO", "ONE");
        load.awaitServing(BACK);
        assertThat(lines).hasSize(4);
        assertThat(lines.subList(2, 4)).anyMatch(line -> line.endsWith("connected again"));
        assertThat(store.stats().errors().get("READONLY")).isPositive();
    }

    @Test
    void noRoomForOneMoreClientIsSaidOnceHoweverOftenItIsTried() throws IOException {
        try (RespConnection admin = redis.connect()) {
            admin.call("CONFIG", "SET", "maxclients", "1");
            long connects = Long.parseLong(rejected(admin));
            admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            await().until(() -> Long.parseLong(rejected(admin)) >= connects + 8);
            // The closed connection and its reason are two lines.
            assertThat(loud()).hasSizeBetween(1, 3).doesNotHaveDuplicates();
            admin.call("CONFIG", "SET", "maxclients", "10000");
        }
        load.awaitServing(BACK);
        assertThat(lines).filteredOn(line -> line.startsWith("INFO")).hasSizeBetween(1, 2);
    }

    private static String rejected(RespConnection admin) {
        try {
            return String.valueOf(admin.call("INFO", "stats"))
                    .lines()
                    .filter(line -> line.startsWith("rejected_connections:"))
                    .map(line -> line.substring(line.indexOf(':') + 1))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void healthSaysWhyItDoesNotServe() {
        redis.cli("CONFIG", "SET", "maxmemory", "1");
        load.awaitOpen();
        assertThat(loud())
                .singleElement()
                .satisfies(line ->
                        assertThat(line).startsWith("WARNING").contains("unavailable (OOM command not allowed"));
        assertThat(store.health())
                .singleElement()
                .satisfies(node -> assertThat(node.reason()).startsWith("unavailable (OOM "));
        redis.cli("CONFIG", "SET", "maxmemory", "0");
        load.awaitServing(BACK);
        awaitHealthy();
        assertThat(store.stats().errors().get("OOM")).isPositive();
    }

    @Test
    void aWrongPasswordIsLoggedAsAnErrorWithoutTraffic() {
        load.close();
        redis.cli("ACL", "SETUSER", "weir", "resetpass", ">another");
        redis.cli("CLIENT", "KILL", "USER", "weir");
        awaitRefused(store, "WRONGPASS");
        redis.cli("ACL", "SETUSER", "weir", ">secret");
        await().until(store::serves);
    }

    @Test
    void aMissingPasswordIsLoggedAsAnErrorWithoutTraffic() {
        load.close();
        redis.password("secret");
        try (RedisSharedStore stranger = StoreFixture.open("redis://" + redis.address())) {
            awaitRefused(stranger, "NOAUTH");
        }
    }

    private void awaitRefused(RedisSharedStore refused, String code) {
        await().until(() -> loud().stream().anyMatch(line -> line.contains("not connected (refused)")));
        assertThat(loud())
                .filteredOn(line -> line.contains("(refused)"))
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("SEVERE").contains(code));
        assertThat(refused.health()).singleElement().satisfies(node -> {
            assertThat(node.serves()).isFalse();
            assertThat(node.down()).isEqualTo(StoreFailure.REFUSED);
            assertThat(node.reason()).startsWith(code).doesNotContain("secret");
        });
    }

    @Test
    void callersAreNotNamedWhereRedisRepeatsItsArguments() {
        load.close();
        try (RedisProcess without = RedisProcess.start("rename-command EVALSHA \"\"");
                RedisSharedStore broken = StoreFixture.open("redis://" + without.address())) {
            await().until(() ->
                    StoreFixture.ask(broken, "auth-key-of-a-caller", PLENTY, 1).failure == StoreFailure.BROKEN);
            assertThat(broken.health())
                    .singleElement()
                    .satisfies(node -> assertThat(node.reason()).isEqualTo("broken (ERR unknown command 'EVALSHA')"));
        }
    }

    /** A misconfiguration is certain after one request, so it is logged also with little traffic. */
    @Test
    void aMissingPermissionIsLoggedAsAnErrorAfterOneRequest() {
        load.close();
        redis.cli("ACL", "SETUSER", "weir", "-evalsha");
        assertThat(StoreFixture.ask(store, "a", PLENTY, 1).failure).isEqualTo(StoreFailure.REFUSED);
        await().until(() -> !loud().isEmpty());
        assertThat(loud())
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("SEVERE").contains("refused (NOPERM"));
        assertThat(store.serves()).isFalse();
        assertThat(store.health())
                .singleElement()
                .satisfies(node ->
                        assertThat(node.reason()).startsWith("refused (NOPERM").doesNotContain("secret"));
        assertThat(store.stats().errors().get("NOPERM")).isPositive();
        // It recovers without traffic.
        redis.cli("ACL", "SETUSER", "weir", "+@all");
        awaitHealthy();
    }

    /** Waits until the store serves without a complaint: an error that was on its way when Redis recovered comes late. */
    private void awaitHealthy() {
        await().untilAsserted(() -> {
            assertThat(store.serves()).isTrue();
            assertThat(store.health())
                    .singleElement()
                    .satisfies(node -> assertThat(node.reason()).isEmpty());
        });
    }
}
