package dev.weir.server.rest;

import static dev.weir.server.rest.RestKit.header;
import static dev.weir.server.rest.RestKit.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.server.rls.RlsSettings;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The answers of the reference service to the same bodies; only its blanks between members are its own. */
class RlsJsonTest {
    private final RestKit kit = new RestKit(rules(), RestKit.settings(Duration.ZERO), RlsSettings.defaults());

    @AfterEach
    void close() {
        kit.close();
    }

    @Test
    void aStatusLeavesOutWhatIsZeroOrEmpty() {
        HttpResponse<String> response = kit.post(
                "/json",
                "{\"domain\":\"d\",\"descriptors\":[" + entry("k", "a", ",\"hitsAddend\":\"5\"") + ","
                        + entry("z", "a", "")
                        + "," + entry("u", "a", "") + "," + entry("sh", "a", ",\"hits_addend\":2")
                        + ",{\"entries\":[]}," + entry("no", "x", "") + "],\"hitsAddend\":2}");
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(header(response, "Content-Type")).isEqualTo("application/json");
        assertThat(response.body())
                .isEqualTo("{\"overallCode\":\"OVER_LIMIT\",\"statuses\":["
                        + "{\"code\":\"OVER_LIMIT\",\"currentLimit\":{\"name\":\"nm\",\"requestsPerUnit\":3,\"unit\":\"MINUTE\"},\"durationUntilReset\":\"60s\"},"
                        + "{\"code\":\"OVER_LIMIT\",\"currentLimit\":{\"unit\":\"HOUR\"},\"durationUntilReset\":\"3600s\"},"
                        + "{\"code\":\"OK\",\"limitRemaining\":4294967295},"
                        + "{\"code\":\"OK\",\"currentLimit\":{\"requestsPerUnit\":1,\"unit\":\"DAY\"},\"durationUntilReset\":\"86400s\"},"
                        + "{\"code\":\"OK\"},{\"code\":\"OK\"}]}");
    }

    @Test
    void aRequestThatCostsTooMuchIsRefusedAndChargesNothing() {
        String many = "{\"domain\":\"d\",\"descriptors\":[" + (entry("k", "a", "") + ",").repeat(128);
        HttpResponse<String> refused = kit.post("/json", many + entry("k", "a", "") + "]}");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(header(refused, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(json(refused).getString("detail"))
                .isEqualTo("request cost: 129 units (expected: <= 128, which is max_request_cost; send fewer"
                        + " descriptors or hits in one request)");
        assertThat(kit.post("/json", "{\"domain\":\"d\",\"descriptors\":[" + entry("k", "a", "") + "]}")
                        .body())
                .contains("\"limitRemaining\":2");
    }

    @Test
    void headersAndMetadataComeWhenSwitchedOn() {
        RlsSettings all = new RlsSettings(
                new RlsSettings.Headers("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"),
                null,
                true,
                false,
                false);
        try (RestKit loud = new RestKit(rules(), RestKit.settings(Duration.ZERO), all)) {
            assertThat(loud.post(
                                    "/json",
                                    "{\"domain\":\"d\",\"hitsAddend\":1,\"descriptors\":["
                                            + entry("k", "a", ",\"hitsAddend\":2") + "]}")
                            .body())
                    .isEqualTo("{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\",\"currentLimit\":"
                            + "{\"name\":\"nm\",\"requestsPerUnit\":3,\"unit\":\"MINUTE\"},\"limitRemaining\":1,"
                            + "\"durationUntilReset\":\"60s\"}],\"responseHeadersToAdd\":["
                            + "{\"key\":\"RateLimit-Limit\",\"value\":\"3\"},"
                            + "{\"key\":\"RateLimit-Remaining\",\"value\":\"1\"},"
                            + "{\"key\":\"RateLimit-Reset\",\"value\":\"60\"}],"
                            + "\"dynamicMetadata\":{\"descriptors\":[{\"entries\":[\"k=a\"],\"hitsAddend\":2}],"
                            + "\"domain\":\"d\",\"hitsAddend\":1,\"metadata\":{\"pool\":\"a\"}}}");
        }
    }

    @Test
    void aLimitOfTheCallerCountsWhateverTheRulesSay() {
        String body = "{\"domain\":\"d\",\"descriptors\":["
                + entry("x", "a", ",\"limit\":{\"requestsPerUnit\":1,\"unit\":\"MINUTE\"}") + "]}";
        assertThat(kit.post("/json", body).body())
                .isEqualTo("{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\",\"currentLimit\":"
                        + "{\"requestsPerUnit\":1,\"unit\":\"MINUTE\"},\"durationUntilReset\":\"60s\"}]}");
        assertThat(kit.post("/json", body.replace("\"MINUTE\"", "2")).statusCode())
                .isEqualTo(429);
    }

    @Test
    void hitsAreGivenBackAlsoWhereTheirNumberComesLast() {
        kit.post("/json", "{\"domain\":\"d\",\"descriptors\":[" + entry("k", "a", "") + "],\"hitsAddend\":3}");
        HttpResponse<String> back = kit.post(
                "/json",
                "{\"domain\":\"d\",\"descriptors\":[" + entry("k", "a", ",\"isNegativeHits\":true")
                        + "],\"hitsAddend\":2}");
        assertThat(back.statusCode()).isEqualTo(200);
        assertThat(back.body()).contains("\"limitRemaining\":2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "1.0", "1e0", "\"1\"", "\"1e0\"", "10e-1"})
    void numbersAreReadAsProtobufWritesThem(String one) {
        HttpResponse<String> response = kit.post(
                "/json",
                "{\"domain\":\"d\",\"hits_addend\":" + one + ",\"descriptors\":[" + entry("k", "a", "") + "]}");
        assertThat(response.body()).contains("\"limitRemaining\":2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[1]",
                "{}",
                "{\"domain\":5,\"descriptors\":[]}",
                "{\"domain\":\"d\"}",
                "{\"domain\":null,\"descriptors\":[D]}",
                "{\"domain\":\"d\",\"descriptors\":null}",
                "{\"domain\":\"d\",\"descriptors\":[null]}",
                "{\"domain\":\"d\",\"descriptors\":{}}",
                "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"k\",\"value\":1}]}]}",
                "{\"domain\":\"d\",\"descriptors\":[D]} x",
                "{\"domain\":\"d\",\"domain\":\"d\",\"descriptors\":[D]}",
                "{\"domain\":\"d\",\"hitsAddend\":1,\"hits_addend\":1,\"descriptors\":[D]}",
                "{\"domain\":\"d\",\"nope\":1,\"descriptors\":[D]}",
                "{\"domain\":\"d\",\"hitsAddend\":1.5,\"descriptors\":[D]}",
                "{\"domain\":\"d\",\"hitsAddend\":-1,\"descriptors\":[D]}",
                "{\"domain\":\"d\",\"hitsAddend\":4294967296,\"descriptors\":[D]}",
                "{\"domain\":\"d\",\"hitsAddend\":1e1000000000,\"descriptors\":[D]}",
                "{\"domain\":\"d\",\"hitsAddend\":1e-1000000000,\"descriptors\":[D]}",
                "{\"domain\":\"d\",\"hitsAddend\":\" 1\",\"descriptors\":[D]}",
                "{\"domain\":\"d\",\"hitsAddend\":true,\"descriptors\":[D]}",
                "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[],\"hitsAddend\":{\"value\":1}}]}",
                "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[],\"hitsAddend\":18446744073709551616}]}",
                "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[],\"isNegativeHits\":\"true\"}]}",
                "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[],\"limit\":{\"requestsPerUnit\":5}}]}",
                "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[],\"limit\":{\"unit\":\"minute\"}}]}",
                "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[],\"limit\":{\"unit\":77}}]}",
            })
    void whatTheReferenceRefusesIsRefused(String body) {
        HttpResponse<String> response = kit.post("/json", body.replace("D", entry("k", "a", "")));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(json(response).getString("detail")).isNotEmpty();
    }

    @Test
    void anEmptyDomainAndNoDescriptorsAreRefusedInTheWordsOfTheReference() {
        assertThat(json(kit.post("/json", "{}")).getString("detail")).isEqualTo("rate limit domain must not be empty");
        assertThat(json(kit.post("/json", "{\"domain\":\"d\"}")).getString("detail"))
                .isEqualTo("rate limit descriptor list must not be empty");
    }

    @Test
    void nullMeansAbsent() {
        HttpResponse<String> response = kit.post(
                "/json",
                "{\"domain\":\"d\",\"hitsAddend\":null,\"descriptors\":[{\"limit\":null,\"hitsAddend\":null,"
                        + "\"isNegativeHits\":null,\"entries\":[{\"key\":\"k\",\"value\":null}]}]}");
        assertThat(response.body()).contains("\"limitRemaining\":2");
    }

    @Test
    void anUnknownDomainLimitsNothing() {
        assertThat(kit.post("/json", "{\"domain\":\"zzz\",\"descriptors\":[" + entry("k", "a", "") + "]}")
                        .body())
                .isEqualTo("{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\"}]}");
    }

    @Test
    void hitsOf64BitsAreOverAndTheCounterIsUsableInTheNextWindow() {
        String body =
                "{\"domain\":\"d\",\"descriptors\":[" + entry("k", "a", ",\"hitsAddend\":18446744073709551615") + "]}";
        assertThat(kit.post("/json", body).statusCode()).isEqualTo(429);
        assertThat(kit.post("/json", body).statusCode()).isEqualTo(429);
        kit.advance(Duration.ofMinutes(1));
        assertThat(kit.post("/json", "{\"domain\":\"d\",\"descriptors\":[" + entry("k", "a", "") + "]}")
                        .body())
                .contains("\"limitRemaining\":2");
    }

    private static String entry(String key, String value, String more) {
        return "{\"entries\":[{\"key\":\"" + key + "\",\"value\":\"" + value + "\"}]" + more + "}";
    }

    private static WrittenRules rules() {
        return WrittenRules.builder()
                .envoy(
                        "d",
                        List.of(
                                RestKit.envoy(
                                        "k",
                                        rule("k", Limit.fixedWindow(3, Duration.ofMinutes(1)))
                                                .name("nm")
                                                .metadata(Map.of("pool", "a"))
                                                .build()),
                                RestKit.envoy(
                                        "z",
                                        rule("z", Limit.fixedWindow(0, Duration.ofHours(1)))
                                                .build()),
                                RestKit.envoy("u", Rule.builder("d", "u").build()),
                                RestKit.envoy(
                                        "sh",
                                        rule("sh", Limit.fixedWindow(1, Duration.ofDays(1)))
                                                .shadow(true)
                                                .build())))
                .build();
    }

    private static RuleBuilder rule(String id, Limit limit) {
        return Rule.builder("d", id).limit(limit).countsDenied(true);
    }
}
