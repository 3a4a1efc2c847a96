package dev.weir.server.rlqs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.model.BanKind;
import dev.weir.server.grpc.protocol.GrpcStatus;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy.BlanketRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The quota service with Envoys on virtual time. */
class QuotaServiceTest extends QuotaTestBed {
    private static final int SEEDS = Integer.getInteger("weir.seeds", 300);

    @Test
    void exactlyTheLimitPasses() {
        rules("  - { name: per user, key_by: user, limit: { requests: 5, window: 1h, algorithm: fixed_window } }\n");
        SimulatedEnvoy envoy = envoy();
        assertThat(envoy.ask(ANN)).as("before the first assignment").isFalse();
        roundTrip();
        for (int i = 0; i < 8; i++) {
            assertThat(envoy.ask(ANN)).isEqualTo(i < 5);
        }
        run(30, 2);
        assertThat(envoy.allowed).isEqualTo(5);
        assertThat(left("ann")).isZero();
    }

    @Test
    void aBucketThatNoRuleLimitsIsLeftAlone() {
        rules("  - { name: per user, match: { user: bob }, limit: { requests: 5, window: 1h } }\n");
        SimulatedEnvoy envoy = envoy();
        envoy.ask(ANN);
        roundTrip();
        assertThat(Objects.requireNonNull(envoy.strategy(ANN)).getBlanketRule()).isEqualTo(BlanketRule.ALLOW_ALL);
        run(60, 20);
        assertThat(envoy.denied).as("assignments do not expire").isEqualTo(1);
    }

    @Test
    void aRuleInShadowModeCountsWhatPasses() {
        rules("""
              - { name: per user, key_by: user, shadow: true, limit: { requests: 1000, window: 1h, algorithm: fixed_window } }
            """);
        SimulatedEnvoy envoy = envoy();
        run(20, 10);
        assertThat(envoy.denied).isLessThanOrEqualTo(1);
        assertThat(left("ann")).isBetween(800L, 860L);
    }

    @Test
    void whatIsNotSpentGoesBack() {
        rules("  - { name: per user, key_by: user, limit: { requests: 1000, window: 1h, algorithm: fixed_window } }\n");
        SimulatedEnvoy envoy = envoy();
        envoy.ask(ANN);
        roundTrip();
        assertThat(left("ann")).as("a first grant").isLessThan(950);
        for (int i = 0; i < 4; i++) {
            assertThat(envoy.ask(ANN)).isTrue();
        }
        run(60);
        assertThat(envoy.strategy(ANN)).as("abandoned").isNull();
        assertThat(left("ann")).isBetween(980L, 996L);
    }

    @Test
    void twoEnvoysShareALimitByDemandAndNeverExceedIt() {
        rules("  - { name: per user, key_by: user, limit: { requests: 100, window: 1s } }\n");
        SimulatedEnvoy a = envoy();
        SimulatedEnvoy b = envoy();
        run(10, 150, 10);
        long first = a.allowed + b.allowed;
        long denied = b.denied;
        run(10, 150, 10);
        assertThat(a.allowed + b.allowed - first).as("used").isBetween(950L, 1_100L);
        assertThat(b.denied - denied).as("who asks for little gets it").isLessThan(10);
        run(15, 10, 150);
        long settled = a.allowed + b.allowed;
        run(10, 10, 150);
        assertThat(a.allowed + b.allowed - settled)
                .as("used, three reports after the demand moved")
                .isBetween(950L, 1_100L);
        run(10, 150, 150);
        long before = a.allowed + b.allowed;
        long ofA = a.allowed;
        run(10, 150, 150);
        long sum = a.allowed + b.allowed - before;
        assertThat(sum).isBetween(950L, 1_100L);
        assertThat(a.allowed - ofA).as("an equal share").isBetween(sum * 45 / 100, sum * 55 / 100);
        assertThat(a.allowed + b.allowed).isLessThanOrEqualTo(100 + 65 * 100);
    }

    @Test
    void anEnvoyThatDiesLeavesTheLimitToTheOthers() {
        rules("  - { name: per user, key_by: user, limit: { requests: 100, window: 1s } }\n");
        SimulatedEnvoy a = envoy();
        SimulatedEnvoy b = envoy();
        run(10, 150, 150);
        a.kill();
        envoys.remove(a);
        long before = b.allowed;
        run(10, 150);
        assertThat(b.allowed - before).isBetween(950L, 1_100L);
    }

    @Test
    void aBannedCallerIsDenied() {
        rules("  - { name: per user, key_by: user, limit: { requests: 100, window: 1s } }\n");
        SimulatedEnvoy envoy = envoy();
        run(6, 10);
        ban(BanKind.BAN);
        run(6, 10);
        assertThat(Objects.requireNonNull(envoy.strategy(ANN)).getBlanketRule()).isEqualTo(BlanketRule.DENY_ALL);
    }

    @Test
    void anEnvoyThatLiesGainsNothing() {
        rules("  - { name: per user, key_by: user, limit: { requests: 50, window: 1h, algorithm: fixed_window } }\n");
        SimulatedEnvoy liar = envoy();
        SimulatedEnvoy honest = envoy();
        BucketQuotaUsage lie = BucketQuotaUsage.newBuilder()
                .setBucketId(BucketId.newBuilder().putAllBucket(ANN))
                .setNumRequestsAllowed(-1)
                .setNumRequestsDenied(-1)
                .build();
        for (int i = 0; i < 20; i++) {
            liar.send(RateLimitQuotaUsageReports.newBuilder().addBucketQuotaUsages(lie));
            run(1, 20, 20);
        }
        assertThat(liar.allowed + honest.allowed).isLessThanOrEqualTo(50);
    }

    @Test
    void aStreamKeepsItsDomain() {
        SimulatedEnvoy envoy = envoy();
        envoy.ask(ANN);
        step();
        assertThat(envoy.ended).isNull();
        envoy.send(RateLimitQuotaUsageReports.newBuilder().setDomain("other"));
        step();
        assertThat(envoy.ended).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    }

    @Test
    void bucketsAreBounded() {
        rules("  - { name: per user, key_by: user, limit: { requests: 5, window: 1h } }\n");
        SimulatedEnvoy envoy = envoy();
        for (int part = 0; part < 6; part++) {
            RateLimitQuotaUsageReports.Builder many = RateLimitQuotaUsageReports.newBuilder();
            for (int i = 0; i < 10_000; i++) {
                many.addBucketQuotaUsages(BucketQuotaUsage.newBuilder()
                        .setBucketId(BucketId.newBuilder().putBucket("user", part + "-" + i))
                        .setNumRequestsAllowed(1));
            }
            envoy.send(many);
            step();
        }
        assertThat(envoy.ended).isNull();
        assertThat(service.buckets()).isBetween(10_000, 50_000);
        envoy.kill();
        step();
        assertThat(service.buckets()).isZero();
    }

    @Test
    void anEnvoyThatStopsToReportGetsNothingMore() {
        rules("  - { name: per user, key_by: user, limit: { requests: 100, window: 1s } }\n");
        SimulatedEnvoy envoy = envoy();
        run(20, 50);
        envoys.remove(envoy);
        run(60);
        long before = left("ann");
        run(10);
        assertThat(before).isEqualTo(100);
        assertThat(left("ann")).isEqualTo(100);
    }

    /** Random demand, delays and deaths: over the life of a window never more than the limit passes. */
    @Test
    void noFleetOfEnvoysSpendsMoreThanTheLimit() {
        for (int seed = 0; seed < SEEDS; seed++) {
            assertThat(beyondTheLimit(seed)).as("seed %d", seed).isLessThanOrEqualTo(0);
        }
    }

    /** Runs a random fleet; returns the requests that passed, less the limit. */
    private long beyondTheLimit(int seed) {
        random.setSeed(seed);
        envoys.clear();
        int limit = 1 + random.nextInt(2_000);
        delayMicros = 1L + random.nextInt(300_000);
        rules("  - { name: per user, key_by: user, limit: { requests: " + limit
                + ", window: 1d, algorithm: fixed_window } }\n");
        long passed = 0L;
        for (int part = 0; part < 12; part++) {
            while (envoys.size() < 1 + random.nextInt(4)) {
                envoy();
            }
            boolean rush = random.nextInt(3) > 0;
            int[] demand = envoys.stream()
                    .mapToInt(each -> rush ? random.nextInt(60) : 0)
                    .toArray();
            run(1 + random.nextInt(rush ? 6 : 12), demand);
            if (random.nextInt(4) == 0) {
                SimulatedEnvoy killed = envoys.remove(random.nextInt(envoys.size()));
                killed.kill();
                passed += killed.allowed;
            }
        }
        for (SimulatedEnvoy each : envoys) {
            passed += each.allowed;
        }
        return passed - limit;
    }

    /** The same fleets find each of these mistakes. */
    @Test
    void plantedMistakesAreFound() {
        assertThat(seedThatFinds(Twice::new)).as("a grant is settled twice").isNotNegative();
        assertThat(seedThatFinds(NewestToo::new))
                .as("the newest grant goes back, which can still be spent")
                .isNotNegative();
        assertThat(seedThatFinds(AtOnce::new))
                .as("a grant goes back with the first report after it was replaced")
                .isNotNegative();
    }

    private int seedThatFinds(Supplier<GrantLedger> mistake) {
        ledgers = mistake;
        for (int seed = 0; seed < SEEDS; seed++) {
            if (beyondTheLimit(seed) > 0) {
                return seed;
            }
        }
        return -1;
    }

    private static final class Twice extends GrantLedger {
        @Override
        List<Settled> reported(long allowed, long nowMicros, long wallMicros) {
            List<Settled> once = super.reported(allowed, nowMicros, wallMicros);
            List<Settled> twice = new ArrayList<>(once);
            twice.addAll(once);
            return twice;
        }
    }

    private static final class NewestToo extends GrantLedger {
        @Override
        void granted(long hits, long before, @Nullable Payment paid, int most, long wallMicros) {
            super.granted(hits, before, paid, most, wallMicros);
            replaced();
        }
    }

    private static final class AtOnce extends GrantLedger {
        @Override
        List<Settled> reported(long allowed, long nowMicros, long wallMicros) {
            List<Settled> all = new ArrayList<>(super.reported(0, nowMicros, wallMicros));
            all.addAll(super.reported(allowed, nowMicros + 5_000_000, wallMicros));
            return all;
        }
    }
}
