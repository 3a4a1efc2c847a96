package dev.weir.server.rlqs;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.FaultProxy;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import dev.weir.server.attack.AttackedServer;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy.BlanketRule;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Envoys of several servers that share a real Redis, which stops, and a server that is killed. */
class QuotaServersTest {
    private static final int LIMIT = 400;
    private static final Duration PERIOD = Duration.ofMillis(250);
    private static final String RULES = """
            domain: front
            rules:
              - name: denies
                match: { plan: deny }
                key_by: user
                limit: { requests: 400, window: 7d, algorithm: fixed_window }
                on_fail: deny
              - name: allows
                match: { plan: allow }
                key_by: user
                limit: { requests: 400, window: 7d, algorithm: fixed_window }
                on_fail: allow
              - name: counts here
                match: { plan: local }
                key_by: user
                limit: { requests: 400, window: 7d, algorithm: fixed_window }
                on_fail: local
            """;

    /** An Envoy that has spent every grant when the next one comes, and is asked for far more. */
    private static final class Spender {
        final QuotaCaller caller;
        private final String plan;
        private final String user;
        private long reported;

        Spender(QuotaCaller caller, String plan, String user) {
            this.caller = caller;
            this.plan = plan;
            this.user = user;
        }

        void report() {
            long spent = caller.granted.get();
            caller.send(RateLimitQuotaUsageReports.newBuilder()
                    .setDomain("front")
                    .addBucketQuotaUsages(BucketQuotaUsage.newBuilder()
                            .setBucketId(BucketId.newBuilder()
                                    .putBucket("plan", plan)
                                    .putBucket("user", user))
                            .setNumRequestsAllowed(spent - reported)
                            .setNumRequestsDenied(100)));
            reported = spent;
        }

        BlanketRule blanket() {
            var strategy = caller.strategies.get(user);
            return strategy == null || strategy.hasTokenBucket() ? BlanketRule.UNRECOGNIZED : strategy.getBlanketRule();
        }
    }

    @TempDir
    Path folder;

    private final RedisProcess redis = RedisProcess.start();
    private final List<RunningServer> servers = new ArrayList<>();
    private final List<QuotaCaller> callers = new ArrayList<>();
    private Path rules = Path.of("");

    @BeforeEach
    void writeRules() throws Exception {
        rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    }

    @AfterEach
    void close() {
        callers.forEach(QuotaCaller::close);
        servers.forEach(RunningServer::close);
        redis.close();
    }

    private RunningServer server() throws Exception {
        RunningServer server = RunningServer.with(rules, "store", redis.uri(), "deadline", "2s");
        servers.add(server);
        return server;
    }

    private Spender spender(int port, String plan, String user) {
        QuotaCaller caller = new QuotaCaller(port, null);
        callers.add(caller);
        return new Spender(caller, plan, user);
    }

    private static long sum(Spender... all) {
        long sum = 0;
        for (Spender each : all) {
            sum += each.caller.granted.get();
        }
        return sum;
    }

    /** Has all report now and then, until they hold {@code hits} at least. */
    private static void awaitGranted(long hits, Spender... all) {
        await().atMost(90, SECONDS).pollInterval(PERIOD).until(() -> {
            for (Spender each : all) {
                each.report();
            }
            return sum(all) >= hits;
        });
    }

    private static void awaitDenied(Spender... all) {
        await().atMost(60, SECONDS).pollInterval(PERIOD).until(() -> {
            boolean denied = true;
            for (Spender each : all) {
                each.report();
                denied &= each.blanket() == BlanketRule.DENY_ALL;
            }
            return denied;
        });
    }

    @Test
    void envoysOfTwoServersSpendExactlyOneLimit() throws Exception {
        Spender here = spender(server().grpcPort(), "deny", "ann");
        Spender there = spender(server().grpcPort(), "deny", "ann");
        awaitGranted(LIMIT, here, there);
        Spender late = spender(servers.get(1).grpcPort(), "deny", "ann");
        awaitDenied(late);
        assertThat(sum(here, there, late)).isEqualTo(LIMIT);
        assertThat(here.caller.granted).hasPositiveValue();
        assertThat(there.caller.granted).hasPositiveValue();
    }

    @Test
    void whileRedisIsDownTheFailurePolicyOfEachRuleDecides() throws Exception {
        Spender[] denies = new Spender[2];
        Spender[] allows = new Spender[2];
        Spender[] counts = new Spender[2];
        for (int i = 0; i < 2; i++) {
            int port = server().grpcPort();
            denies[i] = spender(port, "deny", "ann");
            allows[i] = spender(port, "allow", "bob");
            counts[i] = spender(port, "local", "cid");
        }
        awaitGranted(1, denies);
        redis.kill();
        awaitDenied(denies);
        awaitGranted(10L * LIMIT, allows);
        long before = sum(counts);
        awaitGranted(before + LIMIT, counts);
        assertThat(sum(counts)).as("of a share on each server").isLessThanOrEqualTo(before + 2 * LIMIT);
        assertThat(sum(denies)).isLessThanOrEqualTo(LIMIT);

        redis.restart(); // it has forgotten everything
        long then = sum(denies);
        awaitGranted(then + LIMIT, denies);
        assertThat(sum(denies)).isEqualTo(then + LIMIT);
    }

    /** Redis has taken the hits, its answer is under way, and the server dies before it can send the grant. */
    @Test
    void aServerThatIsKilledBetweenPayingAndSendingLeavesItsHitsSpent() throws Exception {
        RunningServer other = server();
        for (int i = 0; i < 5; i++) {
            String user = "eve" + i;
            long granted = killedAfterPaying(user);
            long left = new JsonObject(other.post(
                                    "/v1/ratelimit/check",
                                    "{\"domain\": \"front\", \"plan\": \"deny\", \"user\": \"" + user
                                            + "\", \"hits\": 0}")
                            .body())
                    .getLong("remaining");
            assertThat(left).as("paid").isLessThan(LIMIT);
            assertThat(granted).isLessThanOrEqualTo(LIMIT - left);
            Spender after = spender(other.grpcPort(), "deny", user);
            awaitGranted(left, after);
            awaitDenied(spender(other.grpcPort(), "deny", user));
            assertThat(sum(after)).as("the rest, and no more").isEqualTo(left);
            if (granted == 0) {
                return; // it was in between
            }
        }
        throw new AssertionError("this machine was too busy to kill a server in time");
    }

    /** Returns the hits that the Envoy got before its server was killed, which is just after it had paid for some. */
    private long killedAfterPaying(String user) throws Exception {
        try (FaultProxy line = FaultProxy.before(redis.port());
                AttackedServer killed = AttackedServer.start("256m", rules, "--store=" + line.uri(), "--deadline=2s")) {
            Spender warm = spender(killed.grpcPort(), "deny", "warm" + user);
            awaitGranted(1, warm);
            line.latency(Duration.ZERO, Duration.ofMillis(400));
            Spender envoy = spender(killed.grpcPort(), "deny", user);
            envoy.report();
            await().atMost(60, SECONDS)
                    .pollInterval(2, MILLISECONDS)
                    .until(() -> redis.keysWithoutNotes().stream()
                            .anyMatch(each -> each.contains(user) && !each.contains("warm")));
            killed.kill();
            return envoy.caller.granted.get();
        }
    }
}
