package dev.weir.server.attack;

import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.END_HEADERS;
import static dev.weir.server.grpc.RawPeer.END_STREAM;
import static dev.weir.server.grpc.RawPeer.HEADERS;
import static dev.weir.server.grpc.RawPeer.WINDOW_UPDATE;
import static dev.weir.server.grpc.RawPeer.join;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.HttpCaller;
import dev.weir.server.grpc.RawPeer;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Attacks on queues, permits, holds, bans, loads, quotas, gateways' questions and what operators see, one a case. */
abstract class FeatureAttackSuite extends UnderAttack {
    private static final String LONG = "weir.attack.long";
    private static final String QUOTAS =
            "/envoy.service.rate_limit_quota.v3.RateLimitQuotaService/StreamRateLimitQuotas";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Path bans = Path.of("");

    FeatureAttackSuite(String heap, int scale) {
        super(heap, scale);
    }

    @Override
    String rules() {
        return """
                  - name: queue
                    match: {endpoint: "/queue"}
                    limit: {requests: 400, window: 1s, burst: 1}
                    over: {queue: {max_wait: 30s, max_waiting: 10000}}
                  - name: tarpit
                    match: {endpoint: "/tarpit"}
                    key_by: user_id
                    limit: {requests: 1, window: 1h}
                    over: {tarpit: {delay: 10s}}
                  - name: permits
                    match: {endpoint: "/permits"}
                    key_by: user_id
                    limit: {requests: 10000, algorithm: concurrency, permit_ttl: 1s}
                  - name: loaded
                    match: {endpoint: "/loaded"}
                    limit: {requests: 1000000, window: 1m}
                    follows: {service: payments, at: {0.8: 1.0, 0.9: 0.5}}
                  - name: escalates
                    match: {endpoint: "/escalates"}
                    key_by: user_id
                    limit: {requests: 1, window: 1h}
                    escalate: {after: 2, within: 10m, ban: 10m, factor: 2, max: 24h, forget: 7d}
                  - name: heavy
                    match: {endpoint: "/heavy"}
                    key_by: user_id
                    limit: {requests: 1, window: 1h}
                """;
    }

    @Override
    List<String> flags() throws Exception {
        bans = Files.writeString(folder().resolve("bans.txt"), "192.0.2.0/24\n");
        List<String> flags = new ArrayList<>(super.flags());
        flags.add("--ban-lists=" + bans);
        // The well-behaved caller, and nobody else, is critical: valid requests by the thousand are load, and are shed.
        flags.add("--trusted-proxies=127.0.0.1/32");
        return flags;
    }

    /** Each waits in the queue, with a head that is much longer than its attributes. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void longRequestsThatWaitInAQueue() throws Exception {
        byte[] requests = overHttp2(8, i -> check("/queue", 12_000));
        underAttack(false, () -> sending(server.http, 2_000, requests));
    }

    /** All wait for the answer to the first, which waits in the queue. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void longRequestsThatWaitForOneIdempotencyKey() throws Exception {
        byte[] requests = overHttp2(8, i -> check("/queue", 12_000, "idempotency-key", "k"));
        underAttack(false, () -> sending(server.http, 1_000, requests));
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void requestsThatLeaveAQueueAtOnce() throws Exception {
        byte[] requests = overHttp2(20, i -> check("/queue", 0));
        underAttack(false, () -> {
            for (int i = 0; i < 100; i++) {
                leaving(requests);
            }
            return List.of();
        });
        await().atMost(PATIENCE).until(() -> metric("ratelimit_waiting") == 0);
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void requestsWithKeysThatLeaveAQueueAtOnce() throws Exception {
        underAttack(false, () -> {
            for (int i = 0; i < 100; i++) {
                int round = i;
                byte[] requests = overHttp2(20, n -> check("/queue", 0, "idempotency-key", "k" + round + "_" + n));
                leaving(requests);
            }
            return List.of();
        });
        await().atMost(PATIENCE).until(() -> metric("ratelimit_waiting") == 0);
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void longRequestsInATarpit() throws Exception {
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                int round = i;
                all.addAll(sending(
                        server.http,
                        50,
                        overHttp2(8, n -> check("/tarpit", 12_000, "x-user", "t" + round + "_" + n / 2))));
            }
            return all;
        });
    }

    @Test
    void permitsThatAreTakenRenewedForgedAndHuge() throws Exception {
        HttpCaller http = new HttpCaller(server.http);
        String permit = new JsonObject(http.post("/v1/concurrency/acquire", body("p", "/permits"))
                        .body())
                .getString("permit");
        String forged = permit.substring(0, permit.length() - 4) + "AAAA";
        underAttack(false, () -> {
            asking(repeatedly(post("/v1/concurrency/acquire", body("p", "/permits")), 4_000));
            for (String each : List.of(permit, forged, "w1." + "A".repeat(60_000), "A.".repeat(30_000))) {
                String json = new JsonObject().put("permit", each).encode();
                asking(repeatedly(post("/v1/concurrency/renew", json), 200));
                asking(repeatedly(post("/v1/concurrency/release", json), 200));
            }
            return List.of();
        });
    }

    /** Each answer that admits a request is remembered for a day. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void idempotencyKeysWithoutEnd() throws Exception {
        underAttack(false, () -> {
            List<byte[]> requests = new ArrayList<>();
            for (int i = 0; i < 40_000; i++) {
                String body = body("idempotent" + i, "/bucket");
                requests.add(("POST /v1/ratelimit/check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                                + "Idempotency-Key: k" + i + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                        .getBytes(US_ASCII));
            }
            asking(requests);
            return List.of();
        });
    }

    /** One address cannot take the holds of all others, whatever it calls itself. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void holdsOfOneAddress() throws Exception {
        HttpCaller http = new HttpCaller(server.http);
        JsonObject nothing = new JsonObject(body("h", "/bucket")).put("cost", 0).put("ttl", 600);
        byte[] reserve = post("/v1/ratelimit/reserve", nothing.encode());
        underAttack(false, () -> {
            asking(repeatedly(reserve, 120_000));
            return List.of();
        });
        JsonObject another = new JsonObject(body("another", "/bucket")).put("cost", 0);
        assertThat(http.post("/v1/ratelimit/reserve", another.encode()).statusCode())
                .as("a reserve of another caller at another address")
                .isEqualTo(200);
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void banListsThatAreHugeOrWrong() throws Exception {
        underAttack(false, () -> {
            StringBuilder million = new StringBuilder();
            for (int i = 0; i < 1_000_000; i++) {
                million.append("10.")
                        .append(i >> 16)
                        .append('.')
                        .append(i >> 8 & 255)
                        .append('.')
                        .append(i & 255)
                        .append('\n');
            }
            Files.writeString(bans, million);
            awaitBan("10.5.5.5");
            Files.writeString(bans, million.append("not an address\n"));
            Files.write(bans, filled(100_000_001, (byte) '1'));
            Files.writeString(bans, "192.0.2.0/24\n198.51.100.0/24\n");
            awaitBan("198.51.100.7");
            return List.of();
        });
    }

    private void awaitBan(String ip) {
        HttpCaller http = new HttpCaller(server.http);
        JsonObject check = new JsonObject().put("domain", "d").put("ip", ip).put("endpoint", "/bucket");
        await().atMost(PATIENCE).until(() -> http.check(check).statusCode() == 403);
    }

    @Test
    void loadsThatAreNoLoads() throws Exception {
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>();
            for (String each : List.of("NaN", "-1", "1e9", "1e999999999", "1".repeat(4_000), "\"1\"", "[[[[[")) {
                all.addAll(sending(
                        server.http, 5, repeated(post("/v1/load/payments", "{\"utilisation\":" + each + "}"), 20)));
            }
            for (int i = 0; i < 50; i++) {
                List<byte[]> reports = new ArrayList<>();
                for (int j = 0; j < 100; j++) {
                    reports.add(post(
                            "/v1/load/payments",
                            "{\"utilisation\": 0.5, \"reporter\": \"" + "r".repeat(150) + i + "_" + j + "\"}"));
                    reports.add(post("/v1/load/nobody" + i + "_" + j, "{\"utilisation\": 0.5}"));
                }
                all.addAll(sending(server.http, 1, join(reports.toArray(byte[][]::new))));
            }
            return all;
        });
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void questionsOfGatewaysThatNeverEnd() throws Exception {
        String forward = "POST /v1/ratelimit/forward?domain=d HTTP/1.1\r\nHost: a\r\nX-Forwarded-Uri: /bucket\r\n";
        byte[] endless =
                join((forward + "Transfer-Encoding: chunked\r\n\r\n80000\r\n").getBytes(US_ASCII), new byte[500_000]);
        byte[] huge = ("GET /v1/ratelimit/forward?domain=d HTTP/1.1\r\nHost: a\r\nX-Forwarded-Uri: /"
                        + "a".repeat(15_000) + "\r\n\r\n")
                .getBytes(US_ASCII);
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>(sending(server.http, 300, endless));
            all.addAll(sending(server.http, 100, repeated(huge, 20)));
            for (int i = 0; i < 20; i++) {
                List<byte[]> each = new ArrayList<>();
                for (int j = 0; j < 50; j++) {
                    each.add(("GET /v1/ratelimit/forward?domain=d&accel=/l" + i + "_" + j + "a".repeat(20_000)
                                    + " HTTP/1.1\r\nHost: a\r\nX-Forwarded-Uri: /\r\n\r\n")
                            .getBytes(US_ASCII));
                }
                all.addAll(sending(server.http, 1, join(each.toArray(byte[][]::new))));
            }
            return all;
        });
    }

    /** Outlines are long, a question for one is short, and one read has hundreds of them. */
    @Test
    void outlinesOfAllRulesThatNobodyReads() throws Exception {
        byte[][] all = new byte[601][];
        all[0] = join(RawPeer.hello(4, Integer.MAX_VALUE), RawPeer.number(WINDOW_UPDATE, 0, Integer.MAX_VALUE >> 1));
        byte[] head = RawPeer.head("/weir.v1.RuleCatalog/Describe");
        for (int i = 1; i < all.length; i++) {
            all[i] = join(
                    RawPeer.frame(HEADERS, END_HEADERS, 2 * i - 1, head),
                    RawPeer.frame(DATA, END_STREAM, 2 * i - 1, new byte[5]));
        }
        byte[] asks = join(all);
        underAttack(false, () -> sending(server.grpc, 200, asks));
    }

    /** Calls with as many requests as a call may have, by the hundred in one read, whose answers nobody reads. */
    @Test
    void batchesOfRequestsThatNobodyReads() throws Exception {
        ByteBuf batch = Unpooled.buffer();
        byte[] prefixed = RawPeer.message("batched");
        for (int i = 0; i < 128; i++) {
            batch.writeByte(0x0A).writeByte(prefixed.length - 5).writeBytes(prefixed, 5, prefixed.length - 5);
        }
        byte[] message = join(
                new byte[] {0, 0, 0, (byte) (batch.readableBytes() >> 8), (byte) batch.readableBytes()},
                ByteBufUtil.getBytes(batch));
        byte[][] all = new byte[301][];
        all[0] = join(RawPeer.hello(4, Integer.MAX_VALUE), RawPeer.number(WINDOW_UPDATE, 0, Integer.MAX_VALUE >> 1));
        byte[] head = RawPeer.head("/weir.v1.Decisions/Decide");
        for (int i = 1; i < all.length; i++) {
            all[i] = join(
                    RawPeer.frame(HEADERS, END_HEADERS, 2 * i - 1, head),
                    RawPeer.frame(DATA, END_STREAM, 2 * i - 1, message));
        }
        byte[] asks = join(all);
        underAttack(false, () -> sending(server.grpc, 50, asks));
    }

    /** Buckets of Envoys that never read what they are assigned, by the hundred thousand, and one that all of them share. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void quotaBucketsThatNobodyNeeds() throws Exception {
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                List<byte[]> frames = new ArrayList<>(List.of(RawPeer.hello(4, 0)));
                for (int stream = 1; stream < 32; stream += 2) {
                    frames.add(RawPeer.frame(HEADERS, END_HEADERS, stream, RawPeer.head(QUOTAS)));
                    for (int j = 0; j < 4; j++) {
                        byte[] report = report(i + "_" + stream + "_" + j, 100);
                        frames.add(RawPeer.frame(DATA, 0, stream, report));
                        frames.add(RawPeer.frame(DATA, 0, stream, report));
                    }
                }
                all.addAll(sending(server.grpc, 2, join(frames.toArray(byte[][]::new))));
            }
            return all;
        });
        await().atMost(PATIENCE).until(() -> metric("ratelimit_quota_buckets") == 0);
    }

    /** A message with the usage of so many buckets. */
    private static byte[] report(String name, int buckets) {
        RateLimitQuotaUsageReports.Builder report =
                RateLimitQuotaUsageReports.newBuilder().setDomain("d");
        for (int i = 0; i <= buckets; i++) {
            report.addBucketQuotaUsages(BucketQuotaUsage.newBuilder()
                    .setBucketId(BucketId.newBuilder()
                            .putBucket("endpoint", "/bucket")
                            .putBucket("user_id", i == buckets ? "shared" : "quota" + name + "_" + i))
                    .setNumRequestsAllowed(10)
                    .setNumRequestsDenied(Long.MAX_VALUE));
        }
        byte[] message = report.build().toByteArray();
        return join(new byte[] {0, 0, 0, (byte) (message.length >> 8), (byte) message.length}, message);
    }

    /** Each is banned by a rule: there are at most 10,000 such bans, whoever asks for more. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void callersThatGetThemselvesBanned() throws Exception {
        underAttack(false, () -> {
            List<byte[]> each = new ArrayList<>();
            for (int i = 0; i < 15_000; i++) {
                byte[] ask = post("/v1/ratelimit/check", body("banned" + i + "_" + "b".repeat(200), "/escalates"));
                each.addAll(repeatedly(ask, 4));
            }
            asking(each);
            return List.of();
        });
        assertThat(metric("ratelimit_bans{")).as("bans").isLessThanOrEqualTo(10_000);
    }

    /** By somebody who may make bans: the list has an end, and so has each ban. */
    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void bansThatAreWrongOrHuge() throws Exception {
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>();
            for (String value : List.of("", "u".repeat(20_000), "10.0.0.0/0", "r".repeat(300_000))) {
                for (String attribute : List.of("ip", "user_id", "a".repeat(20_000))) {
                    String ban = new JsonObject()
                            .put("attribute", attribute)
                            .put("value", value)
                            .put("reason", value)
                            .put("for", "0s")
                            .encode();
                    all.addAll(sending(server.admin, 10, repeated(onAdmin("POST /admin/v1/bans", ban), 10)));
                }
            }
            all.addAll(sending(server.admin, 10, repeated(onAdmin("POST /admin/v1/bans", "[".repeat(200_000)), 10)));
            all.addAll(sending(server.admin, 50, repeated(onAdmin("GET /admin/v1/bans?limit=1000000", ""), 50)));
            all.addAll(
                    sending(server.admin, 50, repeated(onAdmin("DELETE /admin/v1/bans?attribute=ip&value=x", ""), 50)));
            return all;
        });
    }

    private static byte[] onAdmin(String methodAndPath, String body) {
        return (methodAndPath + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body)
                .getBytes(US_ASCII);
    }

    /** Random callers, domains and endpoints: no new time series, and the heaviest caller is still the first that operators see. */
    @Test
    void randomCallersDoNotHideAHeavyOne() throws Exception {
        HttpCaller http = new HttpCaller(server.http);
        for (int i = 0; i < 300; i++) {
            http.post("/v1/ratelimit/check", body("the-heavy-one", "/heavy"));
        }
        long series = series();
        underAttack(false, () -> {
            List<byte[]> each = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                String user = "random" + i + "_" + "r".repeat(1_000);
                each.add(post("/v1/ratelimit/check", body(user, "/heavy")));
                each.add(post("/v1/ratelimit/check", body(user, "/heavy")));
                each.add(post("/v1/ratelimit/check", body(user, "/r/" + i % 1_000)));
                each.add(post("/v1/ratelimit/check", body(user, "/nothing/" + i)));
                each.add(post("/v1/ratelimit/check", "{\"domain\":\"d" + i + "\",\"user_id\":\"u\"}"));
            }
            asking(each);
            return List.of();
        });
        assertThat(series()).as("time series").isEqualTo(series);
        JsonArray top = new JsonObject(new HttpCaller(server.admin)
                        .get("/admin/v1/top?limit=5")
                        .body())
                .getJsonArray("keys");
        assertThat(top.encode()).as("top keys").contains("the-heavy-one");
    }

    /** Those of Weir; the JVM adds some of its own, such as one for each cause of a garbage collection. */
    private long series() throws Exception {
        return new HttpCaller(server.http)
                .get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("ratelimit_"))
                .count();
    }

    @Test
    @EnabledIfSystemProperty(named = LONG, matches = "true")
    void pagesOfTheDashboardThatNobodyReads() throws Exception {
        underAttack(false, () -> {
            List<HostileSockets> all = new ArrayList<>();
            for (String each : List.of(
                    "now",
                    "live?limit=1000000000",
                    "live",
                    "history?range=14d",
                    "top?limit=2147483648",
                    "top?limit=100&by=denied",
                    "denials?_limit=9999999999999999999",
                    "denials?user_id=u",
                    "caller?domain=d&user_id=u&endpoint=/heavy",
                    "load")) {
                byte[] get = ("GET /admin/v1/" + each + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").getBytes(US_ASCII);
                all.addAll(sending(server.admin, 40, repeated(get, 20)));
            }
            return all;
        });
    }

    /** Sends {@code requests} on a few connections, and closes them when the server has begun to answer. */
    private void leaving(byte[] requests) {
        try (HostileSockets sockets = HostileSockets.to(server.http, 5, 5)) {
            sockets.send(requests);
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(sockets::haveAllReceived);
        }
    }

    /** The bytes that one stream sends. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Call(byte[] head, byte[] body) {}

    /** A check whose head has so many bytes that mean nothing; {@code fields} are further header fields. */
    private static Call check(String endpoint, int padding, String... fields) {
        String user = fields.length > 0 && fields[0].equals("x-user") ? fields[1] : "u";
        byte[][] all = new byte[padding / 110 + 2][];
        all[0] = RawPeer.block(":method", "POST", ":scheme", "http", ":path", "/v1/ratelimit/check", ":authority", "a");
        all[1] = RawPeer.block(fields);
        for (int i = 2; i < all.length; i++) {
            all[i] = RawPeer.block("x-" + i, "a".repeat(100));
        }
        return new Call(join(all), body(user, endpoint).getBytes(US_ASCII));
    }

    /** A connection that makes so many calls at once. */
    private static byte[] overHttp2(int count, IntFunction<Call> calls) {
        List<byte[]> all = new ArrayList<>();
        all.add(RawPeer.hello());
        for (int i = 0; i < count; i++) {
            Call call = calls.apply(i);
            all.add(RawPeer.frame(HEADERS, END_HEADERS, 2 * i + 1, call.head));
            all.add(RawPeer.frame(DATA, END_STREAM, 2 * i + 1, call.body));
        }
        return join(all.toArray(byte[][]::new));
    }

    private static byte[] filled(int length, byte with) {
        byte[] all = new byte[length];
        Arrays.fill(all, with);
        return all;
    }
}
