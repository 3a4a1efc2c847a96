package dev.weir.server.rlqs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import dev.weir.StoreFailure;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Servers that die, Envoys that come back all at once, and Envoys that lie. */
class QuotaFaultsTest extends QuotaTestBed {
    private static final String DAY = """
              - { name: per user, key_by: user, limit: { requests: %d, window: 1d, algorithm: fixed_window } }
            """;

    private boolean outOfMemory;

    private static BucketQuotaUsage.Builder usage(String user, long allowed) {
        return BucketQuotaUsage.newBuilder()
                .setBucketId(BucketId.newBuilder().putBucket("user", user))
                .setNumRequestsAllowed(allowed);
    }

    /** A server dies after some of its work, perhaps between paying for a grant and sending it. */
    @Test
    void whateverAServerDiesInTheMiddleOfNoMoreThanTheLimitPasses() {
        for (int seed = 0; seed < Integer.getInteger("weir.seeds", 300); seed++) {
            random.setSeed(seed);
            envoys.clear();
            int limit = 1 + random.nextInt(500);
            delayMicros = 1L + random.nextInt(200_000);
            rules(DAY.formatted(limit));
            for (int i = 0; i <= random.nextInt(4); i++) {
                envoy();
            }
            for (int part = 0; part < 8; part++) {
                int[] demand =
                        envoys.stream().mapToInt(each -> random.nextInt(60)).toArray();
                run(1 + random.nextInt(6), demand);
                service.tick();
                work(random.nextInt(40));
                restart();
                envoys.forEach(SimulatedEnvoy::disconnect);
            }
            run(20, envoys.stream().mapToInt(each -> 20).toArray());
            assertThat(passed()).as("seed %d", seed).isLessThanOrEqualTo(limit);
        }
    }

    @Test
    void whatADeadServerPaidForStaysSpentAndTheRestIsUsed() {
        rules(DAY.formatted(300));
        SimulatedEnvoy envoy = envoy();
        run(3, 20);
        long before = envoy.allowed;
        restart();
        envoy.disconnect();
        run(40, 20);
        assertThat(envoy.allowed).isBetween(before + 100, 300L);
        assertThat(left("ann")).isZero();
    }

    @Test
    void anEnvoyKeepsItsGrantWhileNoServerAnswersAndNoLongerThanItsTtl() {
        rules(DAY.formatted(1_000_000));
        SimulatedEnvoy envoy = envoy();
        run(10, 10);
        envoys.remove(envoy); // it neither reports nor hears anything
        assertThat(envoy.ask(ANN)).isTrue();
        run(16);
        assertThat(envoy.ask(ANN)).isFalse();
    }

    @Test
    void twoHundredEnvoysThatReconnectAtOnceAreAllServedAndSpendNoMoreThanTheLimit() {
        rules(DAY.formatted(60_000));
        for (int i = 0; i < 200; i++) {
            envoy();
        }
        int[] demand = envoys.stream().mapToInt(each -> 5).toArray();
        run(6, demand);
        for (int i = 0; i < 3; i++) {
            envoys.forEach(SimulatedEnvoy::disconnect);
            step();
            assertThat(service.buckets()).isZero();
            long before = passed();
            run(6, demand);
            assertThat(service.buckets()).isEqualTo(200);
            assertThat(passed() - before).as("served again").isGreaterThan(1_000);
        }
        run(60, demand);
        assertThat(passed()).isBetween(40_000L, 60_000L);
    }

    @Test
    void anEnvoyThatGoesBackInTimeChangesNothing() {
        rules(DAY.formatted(100));
        SimulatedEnvoy liar = envoy();
        SimulatedEnvoy honest = envoy();
        for (int i = 0; i < 40; i++) {
            liar.send(RateLimitQuotaUsageReports.newBuilder()
                    .addBucketQuotaUsages(usage("ann", i % 2 == 0 ? 5 : -1)
                            .setTimeElapsed(Duration.newBuilder().setSeconds(-1_000_000_000L * i))));
            run(1, 10, 10);
        }
        assertThat(liar.ended).isNull();
        assertThat(passed()).isLessThanOrEqualTo(100);
        assertThat(honest.allowed).isPositive();
    }

    @Test
    void moreReportsThanEnvoySendsSettleNothingSooner() {
        rules(DAY.formatted(100));
        SimulatedEnvoy liar = envoy();
        for (int i = 0; i < 300; i++) {
            liar.send(RateLimitQuotaUsageReports.newBuilder().addBucketQuotaUsages(usage("ann", 0)));
            liar.ask(ANN);
            liar.ask(ANN);
            for (int j = 0; j < 10; j++) {
                step();
            }
        }
        assertThat(liar.allowed).isLessThanOrEqualTo(100);
    }

    @Test
    void bucketsThatNoRuleKnowsAreLeftAloneAndAbandoned() {
        rules("  - { name: paid, match: { plan: paid }, key_by: user, limit: { requests: 5, window: 1h } }\n");
        SimulatedEnvoy envoy = envoy();
        RateLimitQuotaUsageReports.Builder many = RateLimitQuotaUsageReports.newBuilder();
        for (int i = 0; i < 1_000; i++) {
            many.addBucketQuotaUsages(usage("unknown " + i, Long.MAX_VALUE));
        }
        envoy.send(many);
        roundTrip();
        assertThat(service.buckets()).isEqualTo(1_000);
        for (int i = 0; i < 3; i++) {
            many.getBucketQuotaUsagesBuilderList().forEach(each -> each.setNumRequestsAllowed(0));
            envoy.send(many);
            roundTrip();
        }
        assertThat(service.buckets()).isZero();
        assertThat(envoy.ended).isNull();
    }

    /** Envoy never drops a bucket by itself: without room for it, one that is idle is abandoned at its first report. */
    @Test
    void aHundredThousandBucketsOfOneEnvoyTakeNoMoreRoomThanTheBoundAndTheIdleOnesGo() {
        rules("  - { name: per user, key_by: user, limit: { requests: 5, window: 1h } }\n");
        SimulatedEnvoy flooded = envoy();
        SimulatedEnvoy honest = envoy();
        for (int part = 0; part < 100; part++) {
            RateLimitQuotaUsageReports.Builder many = RateLimitQuotaUsageReports.newBuilder();
            for (int i = 0; i < 1_000; i++) {
                many.addBucketQuotaUsages(usage(part + "-" + i, 1));
            }
            flooded.send(many);
            step();
        }
        run(1);
        assertThat(flooded.ended).isNull();
        int most = service.buckets();
        assertThat(most).isBetween(10_000, 50_000);
        assertThat(honest.ask(ANN)).isFalse();
        roundTrip();
        assertThat(honest.ask(ANN)).as("another Envoy is served meanwhile").isTrue();
        for (int part = 0; part < 100; part++) {
            RateLimitQuotaUsageReports.Builder idle = RateLimitQuotaUsageReports.newBuilder();
            for (int i = 0; i < 1_000; i++) {
                idle.addBucketQuotaUsages(usage(part + "-" + i, 0));
            }
            flooded.send(idle);
            step();
        }
        run(1);
        assertThat(service.buckets()).isLessThan(most / 5 * 4);
        assertThat(flooded.abandoned).as("room in Envoy too").isGreaterThan(50_000);
    }

    private static final String SHARED = """
              - name: per user
                key_by: user
                limit: { requests: 100, window: 1d, algorithm: fixed_window }
                on_fail: %s
            """;

    private SharedMemory failing(String onFail) {
        SharedMemory shared = new SharedMemory(() -> now);
        rules(SHARED.formatted(onFail), shared);
        shared.failure = StoreFailure.UNREACHABLE;
        return shared;
    }

    @Test
    void whileAStoreFailsAndItsPolicyAllowsNewEnvoysDoNotEndTheGrantsOfOthers() {
        failing("allow");
        SimulatedEnvoy honest = envoy();
        for (int i = 0; i < 40; i++) {
            envoy().send(RateLimitQuotaUsageReports.newBuilder().addBucketQuotaUsages(usage("ann", 5)));
            run(1, 10);
        }
        assertThat(honest.denied).as("the first one").isLessThanOrEqualTo(2);
        assertThat(failures).isEmpty();
    }

    @Test
    void whileAStoreFailsAndItsPolicyIsLocalTheShareOfThisServerIsSpent() {
        failing("local");
        SimulatedEnvoy envoy = envoy();
        run(40, 10);
        assertThat(envoy.allowed).isBetween(60L, 100L);
    }

    @Test
    void whileAStoreFailsAndItsPolicyDeniesNothingPassesAndAfterwardsItDoes() {
        SharedMemory shared = failing("deny");
        SimulatedEnvoy envoy = envoy();
        run(20, 10);
        assertThat(envoy.allowed).isZero();
        shared.failure = null;
        run(60, 10);
        assertThat(envoy.allowed).isEqualTo(100);
    }

    /** A region has less left than its store says: others use the same limit. */
    @Test
    void whatIsDeniedIsAskedForAgainWithWhatIsLeft() {
        SharedMemory shared = new SharedMemory(() -> now);
        rules(SHARED.formatted("deny"), shared);
        shared.tooMuch = 1_000;
        SimulatedEnvoy first = envoy();
        run(60, 20);
        assertThat(first.allowed).isEqualTo(100);
        SimulatedEnvoy second = envoy();
        run(5, 20, 20);
        assertThat(second.allowed).isZero();
        assertThat(second.strategy(ANN)).as("an assignment that denies").isNotNull();
    }

    @Override
    long time() {
        if (outOfMemory) {
            throw new OutOfMemoryError("on purpose");
        }
        return super.time();
    }

    @Test
    void anErrorOfATaskIsToldAndTheWorkerGoesOn() {
        rules(DAY.formatted(100));
        SimulatedEnvoy envoy = envoy();
        run(3, 1);
        outOfMemory = true;
        run(4, 1);
        outOfMemory = false;
        assertThat(failures).isNotEmpty().allSatisfy(each -> assertThat(each).isInstanceOf(OutOfMemoryError.class));
        run(2, 1);
        envoy.ask(Map.of("user", "bob"));
        run(1);
        assertThat(envoy.ask(Map.of("user", "bob"))).isTrue();
    }

    @Test
    void theCallsOfTheStoreInFlightAreBounded() {
        StoreCalls calls = new StoreCalls(Runnable::run);
        List<CompletableFuture<Void>> made = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            calls.add(i % 2 == 0 ? StoreCalls.Kind.GRANT : StoreCalls.Kind.AFTERWARDS, "a", () -> {
                CompletableFuture<Void> call = new CompletableFuture<>();
                made.add(call);
                return call;
            });
        }
        assertThat(made).hasSize(StoreCalls.MOST);
        for (int i = 0; i < 1_000; i++) {
            assertThat(made.stream().filter(each -> !each.isDone()).count()).isLessThanOrEqualTo(StoreCalls.MOST);
            made.get(i).complete(null);
        }
        assertThat(made).hasSize(1_000);
    }

    @Test
    void aCallOfTheStoreThatFailsAtOnceLeavesItsPlaceToTheNext() {
        StoreCalls calls = new StoreCalls(Runnable::run);
        int[] made = {0};
        for (int i = 0; i < 1_000; i++) {
            calls.add(StoreCalls.Kind.TERMS, "a", () -> {
                made[0]++;
                throw new IllegalStateException("on purpose");
            });
        }
        assertThat(made[0]).isEqualTo(1_000);
    }

    @Test
    void aPassedRequestOfAnUnlimitedBucketIsCountedOnceHoweverLargeTheLie() {
        rules("  - { name: per user, key_by: user, shadow: true, limit: { requests: 10, window: 1h } }\n");
        SimulatedEnvoy envoy = envoy();
        run(2, 10);
        for (int i = 0; i < 100; i++) {
            envoy.send(RateLimitQuotaUsageReports.newBuilder().addBucketQuotaUsages(usage("ann", -1)));
        }
        run(6, 10);
        assertThat(envoy.ended).isNull();
        assertThat(envoy.ask(Map.of("user", "ann"))).isTrue();
    }
}
