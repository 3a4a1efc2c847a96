package dev.weir.server.attack;

import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.END_HEADERS;
import static dev.weir.server.grpc.RawPeer.HEADERS;
import static dev.weir.server.grpc.RawPeer.WINDOW_UPDATE;
import static dev.weir.server.grpc.RawPeer.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.grpc.RawPeer;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Attacks on the quota service. A well-behaved Envoy gets the first assignments of its buckets all the time. */
class QuotaAttackTest extends UnderAttack {
    private static final String LONG = "weir.attack.long";
    private static final String QUOTAS =
            "/envoy.service.rate_limit_quota.v3.RateLimitQuotaService/StreamRateLimitQuotas";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int STREAMS = 16;
    private static final byte[] NOTHING = {0, 0, 0, 0, 0};
    private static final byte[] UNKNOWN = {0, 0, 0, 0, 2, 0x78, 1};

    QuotaAttackTest() {
        super("256m", 1);
    }

    /** Messages that are empty, or have only a field that nobody knows: each is nothing to read, and a task. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void reportsOfNothing() throws Exception {
        flooded(() -> {
            HostileSockets sockets = connect(server.grpc, 20);
            sockets.send(join(hello(), streams(i -> report("one", 1))));
            byte[] nothing = repeated(NOTHING, 3_000);
            byte[] unknown = repeated(UNKNOWN, 2_000);
            for (int i = 0; i < 5; i++) {
                sockets.send(repeated(data(nothing), 4));
                sockets.send(repeated(data(unknown), 4));
            }
            return List.of(sockets);
        });
    }

    /** "Aa" and "BB" have the same hash in Java: all names of so many pairs do. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void namesThatCollide() throws Exception {
        flooded(() -> {
            HostileSockets sockets = HostileSockets.to(server.grpc, 2, 2);
            sockets.send(join(hello(), RawPeer.frame(HEADERS, END_HEADERS, 1, RawPeer.head(QUOTAS))));
            for (int round = 0; round < 3; round++) {
                for (int part = 0; part < 64; part++) {
                    int first = part << 7;
                    sockets.send(RawPeer.frame(DATA, 0, 1, report(i -> pairs(first + i), 128, 1)));
                }
            }
            return List.of(sockets);
        });
    }

    private static String pairs(int number) {
        StringBuilder name = new StringBuilder();
        for (int bit = 0; bit < 13; bit++) {
            name.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return name.toString();
    }

    /** More buckets than there is room for, all of them in use. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void bucketsThatTakeAllRoom() throws Exception {
        flooded(() -> {
            List<HostileSockets> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                int peer = i;
                HostileSockets sockets = HostileSockets.to(server.grpc, 2, 2);
                all.add(sockets);
                sockets.send(join(hello(), streams(stream -> report(peer + "_" + stream + "_", 100))));
                for (int part = 0; part < 10; part++) {
                    int from = part;
                    sockets.send(data(report(n -> peer + "_" + from + "_" + n, 100, 1)));
                }
            }
            return all;
        });
    }

    /** One bucket that thousands of streams share, and leave. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void aBucketThatManyStreamsShare() throws Exception {
        flooded(() -> {
            HostileSockets sockets = connect(server.grpc, 300);
            sockets.send(join(hello(), streams(i -> report("shared", 1))));
            for (int i = 0; i < 3; i++) {
                sockets.send(data(report("shared", 1)));
            }
            sockets.close();
            return List.of();
        });
    }

    /** Streams that say their domain and nothing else. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void streamsThatStay() throws Exception {
        flooded(() -> {
            HostileSockets sockets = connect(server.grpc, 1_500);
            sockets.send(join(hello(), streams(i -> report("", 0))));
            return List.of(sockets);
        });
    }

    private void flooded(Attack attack) throws Exception {
        try (SteadyEnvoy envoy = SteadyEnvoy.to(server.grpc)) {
            await().atMost(PATIENCE).until(() -> envoy.answers() > 5);
            envoy.reset();
            long[] most = new long[1];
            String[] seen = new String[1];
            most[0] = underAttack(false, () -> {
                List<HostileSockets> sockets = attack.begin();
                int before = envoy.answers();
                await().atMost(PATIENCE).until(() -> !server.isAlive() || envoy.answers() > before + 20);
                seen[0] = envoy.toString();
                return sockets;
            });
            assertThat(envoy.failures()).as("%s", seen[0]).isEmpty();
            assertThat(envoy.slowestMillis()).as("milliseconds: %s", seen[0]).isLessThan(most[0]);
        }
        await().atMost(PATIENCE).until(() -> metric("ratelimit_quota_buckets") == 0);
    }

    /** Windows that never end, so that the server may send what it likes. */
    private static byte[] hello() {
        return join(RawPeer.hello(4, Integer.MAX_VALUE), RawPeer.number(WINDOW_UPDATE, 0, Integer.MAX_VALUE >> 1));
    }

    /** Opens streams, each with a first message. */
    private static byte[] streams(IntFunction<byte[]> first) {
        byte[][] all = new byte[2 * STREAMS][];
        for (int i = 0; i < STREAMS; i++) {
            all[2 * i] = RawPeer.frame(HEADERS, END_HEADERS, 2 * i + 1, RawPeer.head(QUOTAS));
            all[2 * i + 1] = RawPeer.frame(DATA, 0, 2 * i + 1, first.apply(i));
        }
        return join(all);
    }

    /** The same bytes on each stream. */
    private static byte[] data(byte[] bytes) {
        byte[][] all = new byte[STREAMS][];
        for (int i = 0; i < STREAMS; i++) {
            all[i] = RawPeer.frame(DATA, 0, 2 * i + 1, bytes);
        }
        return join(all);
    }

    private static byte[] report(String name, int buckets) {
        return report(i -> buckets == 1 ? name : name + i, buckets, 1);
    }

    /** A message with the usage of so many buckets. */
    private static byte[] report(IntFunction<String> names, int buckets, long allowed) {
        RateLimitQuotaUsageReports.Builder report =
                RateLimitQuotaUsageReports.newBuilder().setDomain("d");
        for (int i = 0; i < buckets; i++) {
            report.addBucketQuotaUsages(BucketQuotaUsage.newBuilder()
                    .setBucketId(BucketId.newBuilder()
                            .putBucket("endpoint", "/bucket")
                            .putBucket("user_id", names.apply(i)))
                    .setNumRequestsAllowed(allowed));
        }
        byte[] message = report.build().toByteArray();
        return join(new byte[] {0, 0, 0, (byte) (message.length >> 8), (byte) message.length}, message);
    }
}
