package dev.weir.server.conformance;

import static dev.weir.server.conformance.RlsRequest.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.conformance.RlsReply.Answer;
import dev.weir.server.conformance.RlsReply.CurrentLimit;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The rules files of the documents that asked for Weir, as they stand there, doing what the text around them says. */
class SeedRulesTest {
    private static final String TIERS = """
            # rate-limit rules, hot-reloaded from a config service
            rules:
              - match: { tier: free,  endpoint: "POST /api/*" }
                limit:  { requests: 10,   window: 1s,  algorithm: token_bucket, burst: 20 }
              - match: { tier: free,  endpoint: "*" }
                limit:  { requests: 1000, window: 1h,  algorithm: sliding_window }
              - match: { tier: paid,  endpoint: "*" }
                limit:  { requests: 100,  window: 1s,  algorithm: token_bucket, burst: 200 }
            key_by:   api_key        # or user_id, ip, "user_id:endpoint"
            on_fail:  allow          # fail-open if the counter store is unreachable
            """;

    private static final String PLATFORM = """
            # Rate limit configuration
            # Domain groups related rules; descriptors match request attributes

            domain: api_platform
            descriptors:
              # Per-API-key rate limit (tiered)
              - key: api_key
                rate_limit:
                  unit: minute
                  requests_per_unit: 100  # Default (free tier)
                descriptors:
                  # Per-endpoint within API key
                  - key: endpoint
                    value: "POST /api/v1/orders"
                    rate_limit:
                      unit: minute
                      requests_per_unit: 20  # Write-heavy endpoint, lower limit

              # Per-IP rate limit (unauthenticated)
              - key: remote_address
                rate_limit:
                  unit: minute
                  requests_per_unit: 30

              # Global aggregate limit (protect backend)
              - key: global
                value: "aggregate"
                rate_limit:
                  unit: second
                  requests_per_unit: 10000
            """;

    @RegisterExtension
    static final ServerForAll server = new ServerForAll(Map.of("001.yaml", TIERS, "002.yaml", PLATFORM));

    private static JsonObject free(String key, String endpoint, int cost) {
        return new JsonObject()
                .put("domain", "default")
                .put("api_key", key)
                .put("tier", "free")
                .put("endpoint", endpoint)
                .put("cost", cost);
    }

    /** The limit told of a bucket is its burst, so that never more remains than the limit. */
    private static void isAllowed(HttpResponse<String> response, int limit, int remaining) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        JsonObject body = new JsonObject(response.body());
        assertThat(body.getInteger("limit")).isEqualTo(limit);
        assertThat(body.getInteger("remaining")).isEqualTo(remaining);
    }

    private static void isDeniedBy(HttpResponse<String> response, int limit) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(429);
        assertThat(new JsonObject(response.body()).getInteger("limit")).isEqualTo(limit);
    }

    @Test
    void aFreeUsersPostIsGovernedByTheBurstRuleAndByTheHourlyRule() throws Exception {
        isAllowed(server.http().check(free("k1", "POST /api/x", 20)), 20, 0);
        isDeniedBy(server.http().check(free("k1", "POST /api/x", 20)), 20);

        // All or nothing: the denied request took nothing from the hourly rule either.
        isAllowed(server.http().check(free("k1", "GET /api/x", 0)), 1000, 980);
        isAllowed(server.http().check(free("k1", "GET /api/x", 980)), 1000, 0);
        isDeniedBy(server.http().check(free("k1", "GET /other", 1)), 1000);
        isDeniedBy(server.http().check(free("k1", "POST /api/x", 1)), 1000);
    }

    @Test
    void aFreeUsersPostMayGiveItsMethodApart() throws Exception {
        isDeniedBy(server.http().check(free("k2", "/api/x", 21).put("method", "POST")), 20);
        isAllowed(server.http().check(free("k2", "/api/x", 21).put("method", "GET")), 1000, 979);
    }

    @Test
    void aPaidUserHasABurstOfTwoHundredAndNoHourlyRule() throws Exception {
        isAllowed(server.http().check(free("k3", "POST /api/x", 200).put("tier", "paid")), 200, 0);
        isDeniedBy(server.http().check(free("k3", "POST /api/x", 201).put("tier", "paid")), 200);
    }

    @Test
    void keysAreCountedApartAndOtherTiersNotAtAll() throws Exception {
        isAllowed(server.http().check(free("k4", "POST /api/x", 20)), 20, 0);
        isAllowed(server.http().check(free("k5", "POST /api/x", 20)), 20, 0);
        HttpResponse<String> unknown =
                server.http().check(free("k4", "POST /api/x", 5_000).put("tier", "gold"));
        assertThat(unknown.statusCode()).isEqualTo(200);
        assertThat(new JsonObject(unknown.body()).containsKey("limit")).isFalse();
    }

    @Test
    void theSameRulesHoldOverGrpc() throws Exception {
        RlsRequest post =
                ask("api_key", "k6", "tier", "free", "endpoint", "POST /api/x").hits(20);
        Answer first = (Answer) server.grpc().ask("default", post);
        Answer second = (Answer) server.grpc().ask("default", post);

        assertThat(first.code()).isEqualTo(ProtocolCode.OK);
        assertThat(first.statuses()).hasSize(1);
        assertThat(limit(first, 0).requestsPerUnit()).isEqualTo(10);
        assertThat(limit(first, 0).unit()).isEqualTo(ProtocolUnit.SECOND);
        assertThat(second.code()).isEqualTo(ProtocolCode.OVER_LIMIT);
        assertThat(limit(second, 0).requestsPerUnit()).isEqualTo(10);
    }

    @Test
    void thePlatformsSampleRequestMeetsTheEndpointAndTheAddress() throws Exception {
        Answer answer = (Answer) server.grpc()
                .ask(
                        "api_platform",
                        ask("api_key", "abc123", "endpoint", "POST /api/v1/orders")
                                .and("remote_address", "192.168.1.100")
                                .and("global", "aggregate")
                                .and("api_key", "abc123"));

        assertThat(answer.code()).isEqualTo(ProtocolCode.OK);
        assertThat(limit(answer, 0)).isEqualTo(new CurrentLimit(20, ProtocolUnit.MINUTE, ""));
        assertThat(limit(answer, 1)).isEqualTo(new CurrentLimit(30, ProtocolUnit.MINUTE, ""));
        assertThat(limit(answer, 2)).isEqualTo(new CurrentLimit(10_000, ProtocolUnit.SECOND, ""));
        assertThat(limit(answer, 3)).isEqualTo(new CurrentLimit(100, ProtocolUnit.MINUTE, ""));
    }

    @Test
    void overRestAttributesMeetEveryPathWhoseKeysTheyHold() throws Exception {
        JsonObject order = new JsonObject()
                .put("domain", "api_platform")
                .put("api_key", "rest")
                .put("method", "POST")
                .put("endpoint", "/api/v1/orders")
                .put("ip", "192.168.1.101");

        isAllowed(server.http().check(order.copy().put("cost", 20)), 20, 0);
        // More than fits in any minute, so that the turn of one does not matter.
        isDeniedBy(server.http().check(order.copy().put("cost", 21).put("api_key", "other")), 20);
        isDeniedBy(
                server.http()
                        .check(new JsonObject()
                                .put("domain", "api_platform")
                                .put("ip", "192.168.1.102")
                                .put("cost", 31)),
                30);
    }

    private static CurrentLimit limit(Answer answer, int status) {
        return Objects.requireNonNull(answer.statuses().get(status).limit());
    }
}
