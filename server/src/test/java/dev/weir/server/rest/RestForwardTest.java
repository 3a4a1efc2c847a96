package dev.weir.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.server.rls.RlsSettings;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The path that gateways ask about the requests that they forward. */
class RestForwardTest {
    private static final String FORWARD = "/v1/ratelimit/forward";

    private final RestKit kit = new RestKit(
            WrittenRules.builder()
                    .weir(
                            "api",
                            List.of(
                                    RestKit.rule(
                                            "two",
                                            Limit.fixedWindow(2, Duration.ofMinutes(1)),
                                            "POST /orders",
                                            KeyBy.of("user_id")),
                                    RestKit.rule(
                                            "keyed",
                                            Limit.fixedWindow(1, Duration.ofMinutes(1)),
                                            "/keyed",
                                            KeyBy.of("api_key")),
                                    RestKit.rule(
                                            "address",
                                            Limit.fixedWindow(1, Duration.ofMinutes(1)),
                                            "/address",
                                            KeyBy.of("ip")),
                                    RestKit.rule(
                                            "busy",
                                            Limit.concurrency(1, Duration.ofMinutes(1)),
                                            "/busy",
                                            KeyBy.of("user_id")),
                                    RestKit.weirList().stream()
                                            .filter(each ->
                                                    "paid".equals(each.rule().name()))
                                            .findFirst()
                                            .orElseThrow()))
                    .build(),
            RestKit.settings(Duration.ZERO)
                    .withForward(new ForwardSettings(
                            Map.of("user_id", "X-User", "api_key", "X-API-Key"), Set.of("@app", "@app_2"))),
            RlsSettings.defaults());

    @AfterEach
    void close() {
        kit.close();
    }

    /** Headers are names and values in turn. */
    private HttpResponse<String> ask(String query, String... headers) {
        HttpRequest.Builder request = kit.request(FORWARD + query).GET();
        return kit.send(headers.length == 0 ? request : request.headers(headers));
    }

    private HttpResponse<String> order(String query) {
        return ask(query, "X-Forwarded-Method", "POST", "X-Forwarded-Uri", "/orders?a=1", "X-User", "u");
    }

    @Test
    void anAdmissionIsEmptyWithTheHeadersAndADenialTellsAll() {
        HttpResponse<String> first = order("");
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).isEmpty();
        assertThat(RestKit.header(first, "RateLimit")).isEqualTo("\"two\";r=1;t=60");
        assertThat(RestKit.header(first, "RateLimit-Policy")).isEqualTo("\"two\";q=2;w=60");
        assertThat(order("").statusCode()).isEqualTo(200);
        HttpResponse<String> denied = order("");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(RestKit.header(denied, "Retry-After")).isEqualTo("60");
        assertThat(RestKit.header(denied, "Content-Type")).isEqualTo("application/problem+json");
        JsonObject problem = RestKit.json(denied);
        assertThat(problem.getString("rule")).isEqualTo("two");
        assertThat(problem.getString("counter")).isEqualTo("user_id=u");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"})
    void everyMethodAsksAndItsBodyIsNotRead(String method) {
        HttpRequest.Builder request = kit.request(FORWARD)
                .method(method, BodyPublishers.ofString("{".repeat(1 << 20)))
                .headers("X-Original-URI", "/other");
        assertThat(kit.send(request).statusCode()).isEqualTo(200);
        assertThat(order("").statusCode()).isEqualTo(200);
    }

    @Test
    void withoutAMethodOfTheGatewayTheOwnMethodCounts() {
        HttpRequest.Builder request = kit.request(FORWARD)
                .POST(BodyPublishers.noBody())
                .headers("X-Original-URL", "https://a.example/orders");
        assertThat(RestKit.header(kit.send(request.headers("X-User", "v")), "RateLimit"))
                .isEqualTo("\"two\";r=1;t=60");
    }

    @Test
    void nginxGets403WithTheTrueStatusInAHeader() {
        order("?deny=403");
        order("?deny=403");
        HttpResponse<String> denied = order("?deny=403");
        assertThat(denied.statusCode()).isEqualTo(403);
        assertThat(RestKit.header(denied, "X-Weir-Status")).isEqualTo("429");
        assertThat(RestKit.header(denied, "Retry-After")).isEqualTo("60");
        HttpResponse<String> forbidden = ask("?deny=403", "X-Forwarded-Uri", "/paid", "X-User", "u");
        assertThat(forbidden.statusCode()).isEqualTo(403);
        assertThat(RestKit.header(forbidden, "X-Weir-Status")).isEqualTo("403");
    }

    @Test
    void onlyAnAdmissionRedirectsAndOnlyToAListedLocation() {
        assertThat(RestKit.header(order("?accel=@app"), "X-Accel-Redirect")).isEqualTo("@app");
        assertThat(RestKit.header(order("?accel=@app_2"), "X-Accel-Redirect")).isEqualTo("@app_2");
        HttpResponse<String> denied = order("?accel=@app");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(RestKit.header(denied, "X-Accel-Redirect")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "?accel=@other       | accel: \"@other\" (expected: a location that the setting forward_locations lists)",
                "?accel=/etc/passwd  | accel: \"/etc/passwd\" (expected: a location",
                "?deny=429           | deny: \"429\" (expected: 403)",
                "?cost=-1            | cost: \"-1\" (expected: a whole number",
                "?cost=1e3           | cost: \"1e3\" (expected: a whole number",
                "?from=elsewhere     | from: \"elsewhere\" (expected: forwarded",
                "?domian=api         | unknown parameter \"domian\" (expected: domain, cost, from, deny, accel; did you mean domain?)",
                "?cost=1&cost=2      | cost: given twice",
                "?from=original      | X-Original-URI: missing",
            })
    void aMistakeOfTheConfigurationIsToldWithWhatWasExpected(String query, String told) {
        HttpResponse<String> refused = order(query);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(RestKit.json(refused).getString("detail")).contains(told);
        assertThat(RestKit.header(order(""), "RateLimit")).isEqualTo("\"two\";r=1;t=60");
    }

    @Test
    void aPathThatNobodyTellsIsAnError() {
        assertThat(RestKit.json(ask("")).getString("detail"))
                .startsWith("X-Forwarded-Uri: missing (expected: X-Forwarded-Uri or X-Original-URI");
    }

    @Test
    void aCallerCannotNameAnotherPathBesideTheOneOfTheGateway() {
        String[] both = {"X-Original-URI", "/orders", "X-Forwarded-Uri", "/free", "X-Forwarded-Method", "POST"};
        assertThat(ask("", both).statusCode()).isEqualTo(400);
        assertThat(RestKit.header(
                        ask(
                                "?from=original",
                                "X-Original-URI",
                                "/orders",
                                "X-Forwarded-Uri",
                                "/free",
                                "X-Original-Method",
                                "POST",
                                "X-User",
                                "u"),
                        "RateLimit"))
                .isEqualTo("\"two\";r=1;t=60");
    }

    @Test
    void theCostIsThatOfTheQuery() {
        assertThat(RestKit.header(order("?cost=2"), "RateLimit")).isEqualTo("\"two\";r=0;t=60");
        assertThat(order("?cost=0").statusCode()).isEqualTo(200);
        assertThat(order("?cost=1").statusCode()).isEqualTo(429);
    }

    @Test
    void nothingThatACallerAloneSendsIsAnError() {
        String[] twice = {"X-Forwarded-Uri", "/keyed", "X-API-Key", "a", "X-API-Key", "b"};
        assertThat(ask("", twice).statusCode()).isEqualTo(200);
        assertThat(ask("", "X-Forwarded-Uri", "/keyed", "X-API-Key", "a").statusCode())
                .isEqualTo(429);
        String path = "/keyed?" + "x".repeat(6_000);
        assertThat(ask("", "X-Forwarded-Uri", path, "X-API-Key", "a").statusCode())
                .isEqualTo(429);
    }

    @Test
    void anUntrustedPeerCannotSayWhoseAddressItIsAndTheLogSaysSoOnce() {
        List<String> said = new CopyOnWriteArrayList<>();
        Logger log = Logger.getLogger(ForwardReader.class.getName());
        log.setLevel(Level.WARNING); // whatever others in this JVM made of the log
        log.setFilter(line -> said.add(MessageFormat.format(line.getMessage(), line.getParameters())));
        try {
            assertThat(ask("", "X-Forwarded-Uri", "/other").statusCode()).isEqualTo(200);
            assertThat(said).isEmpty();
            assertThat(ask("", "X-Forwarded-Uri", "/address", "X-Forwarded-For", "192.0.2.1")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(ask("", "X-Forwarded-Uri", "/address", "X-Forwarded-For", "192.0.2.2")
                            .statusCode())
                    .isEqualTo(429);
        } finally {
            log.setFilter(null);
            log.setLevel(null);
        }
        assertThat(said)
                .singleElement()
                .asString()
                .startsWith("the gateway at 127.0.0.1 sends X-Forwarded-For, which is not read")
                .contains("trusted_proxies");
    }

    @Test
    void aConcurrencyRuleThatCannotBeEnforcedIsNamed() {
        HttpResponse<String> passed = ask("", "X-Forwarded-Uri", "/busy", "X-User", "u");
        assertThat(passed.statusCode()).isEqualTo(200);
        assertThat(RestKit.header(passed, "X-Weir-Unenforced")).isEqualTo("\"busy\"");
    }
}
