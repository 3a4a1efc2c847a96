package dev.weir.server.rlqs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.grpc.protocol.GrpcStatus;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Whatever one Envoy sends, the others find room and are served. */
class QuotaBudgetsTest extends QuotaTestBed {
    private static final String PER_USER =
            "  - { name: per user, key_by: user, limit: { requests: 100, window: 1h, algorithm: fixed_window } }\n";

    private static RateLimitQuotaUsageReports.Builder report(String prefix, int buckets) {
        RateLimitQuotaUsageReports.Builder report = RateLimitQuotaUsageReports.newBuilder();
        for (int i = 0; i < buckets; i++) {
            report.addBucketQuotaUsages(BucketQuotaUsage.newBuilder()
                    .setBucketId(BucketId.newBuilder().putBucket("user", prefix + i))
                    .setNumRequestsAllowed(1));
        }
        return report;
    }

    private void bounded(QuotaBounds to) {
        bounds = to;
        rules(PER_USER);
    }

    private SimulatedEnvoy at(String address) {
        SimulatedEnvoy envoy = envoy();
        envoy.address = address;
        envoy.disconnect();
        envoy.connect();
        return envoy;
    }

    private boolean isServed(SimulatedEnvoy envoy, String user) {
        Map<String, String> id = Map.of("user", user);
        envoy.ask(id);
        for (int i = 0; i < 20; i++) {
            step(); // a tick, and back
        }
        return envoy.strategy(id) != null;
    }

    @Test
    void bucketsOfOneAddressLeaveRoomForOthers() {
        bounded(new QuotaBounds(1 << 20, 1_000, 100 << 20));
        for (int i = 0; i < 20; i++) {
            at("a").send(report(i + "-", 100));
            step();
        }
        run(1);
        assertThat(service.buckets()).isBetween(400, 500);
        SimulatedEnvoy honest = at("b");
        for (int i = 0; i < 100; i++) {
            assertThat(isServed(honest, "honest" + i)).as("bucket %d", i).isTrue();
        }
    }

    @Test
    void theMemoryOfBucketsAndGrantsOfOneAddressLeavesRoomForOthers() {
        bounded(new QuotaBounds(1 << 20, 100_000, 1 << 20));
        for (int i = 0; i < 5; i++) {
            at("a");
        }
        for (int second = 0; second < 30; second++) { // every bucket gets as many grants as it can
            for (int i = 0; i < 5; i++) {
                for (int user = 0; user < 100; user++) {
                    envoys.get(i).ask(Map.of("user", i + "-" + user));
                }
            }
            run(1);
        }
        SimulatedEnvoy honest = at("b");
        for (int i = 0; i < 50; i++) {
            assertThat(isServed(honest, "honest" + i)).as("bucket %d", i).isTrue();
        }
    }

    @Test
    void streamsWithoutBucketsAreChargedToo() {
        bounded(new QuotaBounds(1 << 20, 1_000, 100 * QuotaStream.STREAM_BYTES));
        for (int i = 0; i < 200; i++) {
            at("a").send(RateLimitQuotaUsageReports.newBuilder());
        }
        step();
        step();
        assertThat(envoys.stream().filter(each -> each.ended == GrpcStatus.RESOURCE_EXHAUSTED))
                .hasSize(150);
        envoys.forEach(SimulatedEnvoy::disconnect);
        step();
        assertThat(isServed(at("a"), "ann")).as("room again").isTrue();
    }

    @Test
    void messagesThatWaitAreChargedMoreThanTheirBytes() {
        bounded(new QuotaBounds(100_000, 1_000, 100 << 20));
        SimulatedEnvoy flood = at("a");
        flood.send(report("a", 1));
        step();
        step();
        SimulatedEnvoy honest = at("b");
        for (int i = 0; i < 1_000; i++) {
            flood.sendBytes(new byte[] {0x78, 1}); // a field that nobody knows
        }
        now += 1_000_000;
        flood.run();
        assertThat(flood.ended).isEqualTo(GrpcStatus.RESOURCE_EXHAUSTED);
        honest.ask(ANN);
        now += 1_000_000;
        honest.run();
        assertThat(work(20)).isPositive();
        now += 1_000_000;
        honest.run();
        assertThat(honest.ended).isNull();
        assertThat(honest.strategy(ANN)).as("served while the others wait").isNotNull();
    }

    @Test
    void messagesOfNothingAreNotKept() {
        bounded(new QuotaBounds(10_000, 1_000, 100 << 20));
        SimulatedEnvoy envoy = at("a");
        envoy.send(report("a", 1));
        step();
        step();
        for (int i = 0; i < 100_000; i++) {
            envoy.sendBytes(new byte[0]);
        }
        now += 1_000_000;
        envoy.run();
        assertThat(work(10)).as("tasks").isLessThan(10);
        assertThat(envoy.ended).isNull();
    }

    @Test
    void theFirstMessageMustNameTheDomain() {
        SimulatedEnvoy envoy = at("a");
        envoy.sendBytes(new byte[0]);
        step();
        step();
        assertThat(envoy.ended).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    }

    @Test
    void reportsOfEachAddressAreReadInTurn() {
        bounded(new QuotaBounds(10 << 20, 100_000, 100 << 20));
        List<SimulatedEnvoy> flood = List.of(at("a"), at("a"), at("b"));
        SimulatedEnvoy honest = at("c");
        for (int i = 0; i < 100; i++) {
            for (SimulatedEnvoy each : flood) {
                each.send(report("f" + i + "-", 10));
            }
        }
        honest.ask(ANN);
        now += 1_000_000;
        envoys.forEach(SimulatedEnvoy::run);
        work(600);
        now += 1_000_000;
        honest.run();
        assertThat(honest.strategy(ANN)).as("the third report of 301").isNotNull();
    }

    @Test
    void manyStreamsOfOneBucketAreServedAndLeave() {
        bounded(new QuotaBounds(1 << 20, 100_000, 100 << 20));
        for (int i = 0; i < 3_000; i++) {
            at("a" + i % 50).ask(ANN);
        }
        for (int i = 0; i < 30; i++) {
            step();
        }
        assertThat(envoys).allSatisfy(each -> assertThat(each.strategy(ANN)).isNotNull());
        envoys.forEach(SimulatedEnvoy::disconnect);
        step();
        assertThat(service.buckets()).isZero();
    }

    @Test
    void membersComeAndGoInAnyOrder() {
        QuotaGroup group = new QuotaGroup(id("ann"));
        PeerBudget budget = new PeerBudget(1_000);
        QuotaStream stream = new QuotaStream(at("a").call(), budget, budget, 0);
        List<QuotaBucket> members = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            if (members.isEmpty() || random.nextInt(5) > 1) {
                QuotaBucket bucket = new QuotaBucket(stream, group, new GrantLedger(), 0, 0);
                group.add(bucket);
                members.add(bucket);
            } else {
                group.remove(members.remove(random.nextInt(members.size())));
            }
            assertThat(group.members()).hasSameSizeAs(members);
            assertThat(new HashSet<>(group.members())).isEqualTo(new HashSet<>(members));
        }
    }

    private static QuotaBucketId id(String user) {
        return new QuotaBucketId("front", new TreeMap<>(Map.of("user", user)));
    }

    /** "Aa" and "BB" have the same hash in Java. */
    @Test
    void namesCannotBeChosenToCollide() {
        Set<Integer> hashes = new HashSet<>();
        for (int i = 0; i < 1 << 14; i++) {
            StringBuilder name = new StringBuilder();
            for (int bit = 0; bit < 14; bit++) {
                name.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            hashes.add(id(name.toString()).hashCode());
        }
        assertThat(hashes).hasSizeGreaterThan((1 << 14) - 100);
        assertThat(id("ann")).isEqualTo(id("ann")).hasSameHashCodeAs(id("ann"));
    }

    @Test
    void anEnvoyThatDoesNotReadGetsNoMoreAssignmentsUntilItDoes() {
        bounded(QuotaBounds.ofThisHeap());
        SimulatedEnvoy envoy = at("a");
        envoy.unsent = QuotaStream.MOST_UNSENT + 1;
        envoy.measured = envoy.unsent;
        assertThat(isServed(envoy, "ann")).isFalse();
        run(10);
        assertThat(left("ann")).as("nothing is taken for it").isEqualTo(100);
        envoy.unsent = 0;
        assertThat(isServed(envoy, "ann")).isTrue();
    }

    @Test
    void aLongAnswerIsNotKeptAsRoomForTheNextOne() {
        AssignmentWriter writer = new AssignmentWriter(15);
        for (int i = 0; i < 400; i++) {
            writer.abandon(id("a-name-of-thirty-characters-" + i));
        }
        assertThat(writer.messages())
                .singleElement()
                .satisfies(each -> assertThat(each.length).isGreaterThan(10_000));
        assertThat(writer.kept()).isLessThanOrEqualTo(1 << 10);
    }

    @Test
    void anAddressLeavesToOthersAsMuchAsItTakes() {
        PeerBudget budget = new PeerBudget(1_200);
        PeerBudget.Share first = budget.share("a");
        assertThat(takeAll(first)).as("a stream").isEqualTo(400);
        assertThat(first.isNearlyFull()).isTrue();
        assertThat(takeAll(budget.share("a")) + takeAll(budget.share("a")))
                .as("its address has half")
                .isEqualTo(200);
        PeerBudget.Share other = budget.share("b");
        assertThat(other.isNearlyFull()).isFalse();
        assertThat(takeAll(other)).isEqualTo(200);
        first.add(-400);
        assertThat(budget.used()).isEqualTo(400);
        assertThat(takeAll(other)).isEqualTo(133);
    }

    private static long takeAll(PeerBudget.Share share) {
        long taken = 0;
        while (share.take(1)) {
            taken++;
        }
        return taken;
    }
}
