package dev.weir.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Requests that are costly for Redis, while another caller's limits are decided there. */
class RedisWorkAttackTest extends UnderAttack {
    /** More than a busy machine stalls Redis; the work of one costly request took longer. */
    private static final String DEADLINE = "500ms";

    @SuppressWarnings("NullAway.Init") // started before all cases
    private RedisProcess redis;

    RedisWorkAttackTest() {
        super("256m", 1);
    }

    @BeforeAll
    void startRedis() {
        redis = RedisProcess.start("save \"\"", "slowlog-log-slower-than 0");
    }

    @AfterAll
    void stopRedis() {
        redis.close();
    }

    @Override
    String rules() {
        return """
                  - name: leased_permits
                    match: {endpoint: "/permits"}
                    key_by: user_id
                    limit: {requests: 10000, algorithm: concurrency, permit_ttl: 2s}
                    consistency: leased
                """;
    }

    @Override
    List<String> flags() {
        return List.of("--store=" + redis.uri(), "--deadline=" + DEADLINE);
    }

    @Test
    void manyHitsOnManyLogs() throws Exception {
        attack("/log", 1_000, 10_000);
    }

    @Test
    void manyPlainChecks() throws Exception {
        attack("/bucket", 1_000, 1);
    }

    /** The costliest requests that are allowed: nobody's decision is made without Redis for it. */
    @Test
    void asManyPlainChecksAsAreAllowed() throws Exception {
        double degraded = metric("ratelimit_degraded_total");
        underAttack(false, () -> {
            try (CostlyRequests costly = CostlyRequests.to(server.grpc)) {
                for (int i = 0; i < 100; i++) {
                    costly.send(CostlyRequests.onManyCounters("/bucket", "allowed" + i + "_", 128, 1));
                    costly.send(CostlyRequests.onManyCounters("/log", "allowed" + i + "_", 4, 10_000));
                }
                assertThat(costly.refused()).isZero();
            }
            return List.of();
        });
        assertThat(metric("ratelimit_degraded_total") - degraded)
                .as("decisions without Redis")
                .isZero();
    }

    /** Every caller has a level of its own in Redis, and nobody releases a permit. */
    @Test
    void permitLevelsOfManyCallers() throws Exception {
        String others = "rule=\"steady\"";
        double degraded = metric("ratelimit_degraded_total", others);
        underAttack(false, () -> {
            List<byte[]> each = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                each.add(post("/v1/concurrency/acquire", body("level" + i, "/permits")));
                each.add(post("/v1/concurrency/acquire", body("level" + i % 10, "/permits")));
            }
            asking(each);
            return List.of();
        });
        assertThat(metric("ratelimit_degraded_total", others) - degraded)
                .as("decisions of others without Redis")
                .isZero();
    }

    private void attack(String endpoint, int checks, long hits) throws Exception {
        double degraded = metric("ratelimit_degraded_total");
        int[] refused = new int[1];
        underAttack(false, () -> {
            try (CostlyRequests costly = CostlyRequests.to(server.grpc)) {
                for (int i = 0; i < 6; i++) {
                    costly.send(CostlyRequests.onManyCounters(endpoint, "user" + i + "_", checks, hits));
                }
                refused[0] = costly.refused();
            }
            return new ArrayList<>();
        });
        assertThat(metric("ratelimit_degraded_total") - degraded)
                .as("decisions without Redis")
                .isZero();
        assertThat(refused[0]).as("requests refused").isEqualTo(6);
    }
}
