package dev.weir.server.rlqs;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.RunningServer;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.grpc.Status;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams on a whole server: long reports, who holds what, and attacks that the decisions do not feel. */
class QuotaStreamTest {
    private static final int DECISIONS = 300;

    @TempDir
    Path folder;

    private RunningServer weir;
    private final List<QuotaCaller> callers = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                domain: front
                rules:
                  - { name: per user, match: { user: "*" }, key_by: user, limit: { requests: 1000, window: 1h } }
                """);
        weir = RunningServer.with(rules, "deadline", "5s");
    }

    @AfterEach
    void stop() {
        callers.forEach(QuotaCaller::close);
        weir.close();
    }

    private QuotaCaller caller(String name) {
        QuotaCaller caller = new QuotaCaller(weir.grpcPort(), name.isEmpty() ? null : name);
        callers.add(caller);
        return caller;
    }

    private static RateLimitQuotaUsageReports.Builder report(String prefix, int buckets, long allowed) {
        RateLimitQuotaUsageReports.Builder report =
                RateLimitQuotaUsageReports.newBuilder().setDomain("front");
        for (int i = 0; i < buckets; i++) {
            report.addBucketQuotaUsages(BucketQuotaUsage.newBuilder()
                    .setBucketId(BucketId.newBuilder().putBucket("user", prefix + i))
                    .setNumRequestsAllowed(allowed));
        }
        return report;
    }

    @Test
    void aReportOfMoreThanTwoMebibytesIsReadInPartsAndTheStreamGoesOn() throws Exception {
        QuotaCaller envoy = caller("large");
        RateLimitQuotaUsageReports.Builder report = report("a-user-with-a-name-of-this-length-", 60_000, 1);
        assertThat(report.build().getSerializedSize()).isGreaterThan(2 << 20);
        envoy.send(report);
        await().atMost(120, SECONDS)
                .until(() -> weir.get("/metrics").body().contains("\nratelimit_quota_buckets 50000")
                        && envoy.assigned.get() > 0);
        assertThat(envoy.ended).isNotDone();
        long before = envoy.assigned.get();
        QuotaCaller other = caller("small");
        other.send(report("ann", 1, 1));
        await().atMost(30, SECONDS).until(() -> other.assigned.get() > 0);
        assertThat(envoy.assigned.get()).isGreaterThanOrEqualTo(before);
    }

    /** Its assignments are far more than may wait for a connection. */
    @Test
    void anEnvoyThatReadsSlowlyKeepsItsConnectionAndGetsAllAssignmentsInTheEnd() throws Exception {
        QuotaCaller envoy = new QuotaCaller(weir.grpcPort(), "slow", false);
        callers.add(envoy);
        RateLimitQuotaUsageReports.Builder report = report("a-user-with-a-name-of-this-length-", 35_000, 1);
        envoy.send(report);
        await().atMost(120, SECONDS)
                .until(() -> weir.get("/metrics").body().contains("\nratelimit_quota_buckets 35000")
                        || envoy.ended.isDone());
        QuotaCaller other = caller("other");
        for (int i = 0; i < 5; i++) { // what the worker does for the others goes on meanwhile
            String user = "ann" + i;
            other.send(report(user, 1, 1));
            await().atMost(60, SECONDS).until(() -> other.strategies.containsKey(user + "0"));
        }
        assertThat(envoy.ended).isNotDone();
        envoy.read();
        await().atMost(120, SECONDS).pollInterval(3, SECONDS).until(() -> {
            if (envoy.isReady()) {
                envoy.send(report);
            }
            return envoy.strategies.size() == 35_000 || envoy.ended.isDone();
        });
        assertThat(envoy.ended).isNotDone();
    }

    @Test
    void explainAndLoadShowWhichEnvoyHoldsHowMuch() throws Exception {
        QuotaCaller named = caller("envoy-a");
        QuotaCaller nameless = caller("");
        named.send(report("ann", 1, 1));
        nameless.send(report("ann", 1, 1));
        await().atMost(30, SECONDS).until(() -> named.assigned.get() > 0 && nameless.assigned.get() > 0);
        JsonObject told = new JsonObject(weir.admin
                .post(
                        "/admin/v1/explain",
                        "{\"domain\": \"front\", \"attributes\": {\"user\": \"ann0\", \"other\": \"x\"}}")
                .body());
        JsonArray envoys = told.getJsonArray("envoys");
        assertThat(envoys).hasSize(2);
        assertThat(envoys)
                .extracting(each -> ((JsonObject) each).getString("envoy"))
                .satisfiesExactlyInAnyOrder(
                        each -> assertThat(each).isEqualTo("envoy-a"),
                        each -> assertThat(each).startsWith("127.0.0.1:"));
        assertThat(envoys).allSatisfy(each -> {
            assertThat(((JsonObject) each).getLong("held")).isPositive();
            assertThat(((JsonObject) each).getString("assignment")).isEqualTo("grant");
        });
        JsonObject load = new JsonObject(weir.admin.get("/admin/v1/load").body());
        assertThat(load.getJsonArray("envoys")).hasSize(2);
        String nobody = weir.admin
                .post("/admin/v1/explain", "{\"domain\": \"front\", \"attributes\": {\"user\": \"bob\"}}")
                .body();
        assertThat(new JsonObject(nobody).containsKey("envoys")).isFalse();
    }

    /** Reports as fast as they can be sent, of buckets that are new each time, while others ask for decisions. */
    @Test
    void decisionsAreAnsweredWhileEnvoysReportWithoutPause() throws Exception {
        for (int i = 0; i < 8; i++) {
            caller("flood-" + i);
        }
        for (int round = 0; round < DECISIONS; round++) {
            for (QuotaCaller each : callers) {
                if (each.isReady() && !each.ended.isDone()) {
                    each.send(report("flood-" + round + "-", 500, -1));
                }
            }
            assertThat(weir.grpc("front", "user", "asks " + round)).isEqualTo(1);
        }
        assertThat(callers)
                .allSatisfy(each -> assertThat(
                                each.ended.isDone() ? each.ended.join().getCode() : Status.Code.OK)
                        .isIn(Status.Code.OK, Status.Code.RESOURCE_EXHAUSTED));
        callers.forEach(QuotaCaller::close);
        await().atMost(60, SECONDS).until(() -> weir.get("/metrics").body().contains("\nratelimit_quota_buckets 0"));
        QuotaCaller honest = caller("honest");
        honest.send(report("ann", 1, 1));
        await().atMost(30, SECONDS).until(() -> honest.assigned.get() > 0);
    }

    @Test
    void aReportThatIsWrongEndsItsStreamAlone() throws Exception {
        QuotaCaller wrong = caller("wrong");
        QuotaCaller right = caller("right");
        right.send(report("ann", 1, 1));
        wrong.send(report("x".repeat(40_000), 1, 1));
        assertThat(wrong.ended.get(30, SECONDS).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(wrong.ended.join().getDescription())
                .contains("value of a bucket_id: 40001 bytes (expected: <= 32768)");
        await().atMost(30, SECONDS).until(() -> right.assigned.get() > 0);
        assertThat(right.ended).isNotDone();
    }

    @Test
    void aBucketThatIsTooLongForAnyPartIsRefused() throws Exception {
        QuotaCaller wrong = caller("wrong");
        BucketId.Builder bucket = BucketId.newBuilder();
        for (int i = 0; i < 99; i++) {
            bucket.putBucket("k" + i, "v".repeat(30_000));
        }
        wrong.send(RateLimitQuotaUsageReports.newBuilder()
                .setDomain("front")
                .addBucketQuotaUsages(BucketQuotaUsage.newBuilder().setBucketId(bucket)));
        assertThat(wrong.ended.get(30, SECONDS).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }
}
