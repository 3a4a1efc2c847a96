package dev.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Limit;
import dev.weir.LoadShedder;
import dev.weir.LoadShedder.Admission;
import dev.weir.LoadShedder.Priority;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.TimeSource;
import dev.weir.Weir;
import dev.weir.http.ForwardedHeader;
import dev.weir.http.HttpLimiter;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WeirFilterTest {
    private static final TimeSource STANDS_STILL = () -> 1_800_000_000_000_000L;

    private final HttpClient client = HttpClient.newHttpClient();

    /** Answers with the status that the call asks for. */
    private static final class Answering extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String status = request.getParameter("status");
            response.setStatus(status == null ? 200 : Integer.parseInt(status));
            response.getWriter().write("served " + request.getAttribute(WeirFilter.CALL));
        }
    }

    private static Weir weir(RuleSet rules) {
        return Weir.builder(rules).time(STANDS_STILL).open();
    }

    private static Weir twoPerCaller(String keyBy) {
        return weir(RuleSet.builder("app")
                .rule("orders", Limit.fixedWindow(2, Duration.ofMinutes(1)))
                .match("endpoint", "GET /orders")
                .keyBy(keyBy)
                .build());
    }

    private static Container serve(WeirFilter filter) throws Exception {
        return Container.tomcat(filter, Map.of("/", new Answering()));
    }

    private HttpResponse<String> get(Container container, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + container.port() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void tellsEveryCallerItsLimitAndTheDeniedOnesWhy() throws Exception {
        try (Weir weir = twoPerCaller("api_key");
                Container container =
                        serve(new WeirFilter(HttpLimiter.builder(weir).build()))) {
            HttpResponse<String> first = get(container, "/orders", "X-API-Key", "k1");
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(first.body()).startsWith("served dev.weir.http.LimitedCall");
            assertThat(first.headers().firstValue("RateLimit")).hasValue("\"orders\";r=1;t=60");
            assertThat(first.headers().firstValue("RateLimit-Policy")).hasValue("\"orders\";q=2;w=60");
            assertThat(first.headers().firstValue("X-RateLimit-Remaining")).hasValue("1");
            assertThat(get(container, "/orders", "X-API-Key", "k1").statusCode())
                    .isEqualTo(200);

            HttpResponse<String> denied = get(container, "/orders", "X-API-Key", "k1");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(denied.headers().firstValueAsLong("Retry-After").orElseThrow())
                    .isBetween(60L, 61L);
            assertThat(denied.body())
                    .contains("\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\"")
                    .contains("\"rule\":\"orders\"", "\"counter\":\"api_key=k1\"");

            assertThat(get(container, "/orders", "X-API-Key", "k2").statusCode())
                    .isEqualTo(200);
            assertThat(get(container, "/other", "X-API-Key", "k1").headers().firstValue("RateLimit"))
                    .isEmpty();
        }
    }

    /** The container routes all of these to one servlet, so they share a counter. */
    @Test
    void noSpellingOfAPathEvadesALimit() throws Exception {
        try (Weir weir = weir(RuleSet.builder("app")
                        .rule("all", Limit.fixedWindow(1, Duration.ofMinutes(1)))
                        .match("endpoint", "/orders")
                        .build());
                Container container =
                        serve(new WeirFilter(HttpLimiter.builder(weir).build()))) {
            assertThat(get(container, "/orders").statusCode()).isEqualTo(200);
            for (String path : List.of(
                    "/orders",
                    "/orders/",
                    "//orders",
                    "/orders?a=b",
                    "/orders;a=b",
                    "/%6frders",
                    "/./orders",
                    "/a/../orders",
                    "/a/%2e%2e/orders")) {
                assertThat(raw(container, path)).as(path).startsWith("HTTP/1.1 429");
            }
            // These are other paths to the container, too.
            assertThat(raw(container, "/%256frders")).startsWith("HTTP/1.1 200");
            assertThat(raw(container, "/orders%3Fa")).startsWith("HTTP/1.1 200");
            assertThat(raw(container, "/orders%3Ba")).startsWith("HTTP/1.1 200");
        }
    }

    /** Sends a path as it is written; clients would tidy it. */
    private static String raw(Container container, String path) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), container.port())) {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void onlyATrustedProxyNamesTheCaller() throws Exception {
        try (Weir weir = twoPerCaller("ip");
                Container untrusting =
                        serve(new WeirFilter(HttpLimiter.builder(weir).build()));
                Container trusting = serve(new WeirFilter(HttpLimiter.builder(weir)
                        .trustedProxies(List.of("127.0.0.0/8"), ForwardedHeader.X_FORWARDED_FOR)
                        .build()))) {
            for (String forged : List.of("1.1.1.1", "2.2.2.2")) {
                assertThat(get(untrusting, "/orders", "X-Forwarded-For", forged).statusCode())
                        .isEqualTo(200);
            }
            assertThat(get(untrusting, "/orders", "X-Forwarded-For", "3.3.3.3").statusCode())
                    .isEqualTo(429);
            HttpResponse<String> named = get(trusting, "/orders", "X-Forwarded-For", "9.9.9.9, 4.4.4.4");
            assertThat(named.statusCode()).isEqualTo(200);
            get(trusting, "/orders", "X-Forwarded-For", "4.4.4.4");
            assertThat(get(trusting, "/orders", "X-Forwarded-For", "4.4.4.4").body())
                    .contains("ip=4.4.4.4");
        }
    }

    @Test
    void failedLoginsAreChargedAfterTheResponse() throws Exception {
        try (Weir weir = weir(RuleSet.builder("app")
                        .rule("all", Limit.fixedWindow(1_000, Duration.ofMinutes(1)))
                        .domain("failures")
                        .rule("failed-logins", Limit.fixedWindow(2, Duration.ofMinutes(1)))
                        .keyBy("ip")
                        .build());
                Container container = serve(new WeirFilter(HttpLimiter.builder(weir)
                        .chargeAfter("failures", (call, status) -> status == 401 ? 1 : 0)
                        .build()))) {
            for (int i = 0; i < 10; i++) {
                assertThat(get(container, "/login?status=200").statusCode()).isEqualTo(200);
            }
            for (int i = 0; i < 2; i++) {
                assertThat(get(container, "/login?status=401").statusCode()).isEqualTo(401);
            }
            await().until(() -> get(container, "/login?status=200").statusCode() == 429);
            assertThat(get(container, "/login?status=200").body()).contains("\"rule\":\"failed-logins\"");
        }
    }

    @Test
    void aCostBeyondTheLimitIsChargedInFullAfterTheResponse() throws Exception {
        Limit limit = Limit.fixedWindow(10, Duration.ofMinutes(1));
        try (Weir weir = weir(RuleSet.builder("app")
                        .rule("all", Limit.fixedWindow(1_000, Duration.ofMinutes(1)))
                        .domain("bytes")
                        .rule("downloads", limit)
                        .build());
                Container container = serve(new WeirFilter(HttpLimiter.builder(weir)
                        .chargeAfter("bytes", (call, status) -> 500)
                        .build()))) {
            assertThat(get(container, "/file").statusCode()).isEqualTo(200);
            Request look = Request.to("bytes").asAttributes().with("ip", "x").takeNothing();
            await().until(() -> weir.decide(look).verdicts().get(0).remaining() == 0);
            assertThat(get(container, "/file").statusCode()).isEqualTo(429);
        }
    }

    @Test
    void anOverloadedProcessShedsLoadBeforeAnyRuleIsAsked() throws Exception {
        LoadShedder shedder = LoadShedder.create();
        List<Admission> busy = new ArrayList<>();
        try (Weir weir = twoPerCaller("ip");
                Container container = serve(new WeirFilter(HttpLimiter.builder(weir)
                        .shedder(shedder, call -> call.path().equals("/health") ? null : Priority.READ)
                        .build()))) {
            for (Admission each = shedder.tryAcquire(Priority.CRITICAL);
                    each != null;
                    each = shedder.tryAcquire(Priority.CRITICAL)) {
                busy.add(each);
            }
            HttpResponse<String> shed = get(container, "/orders");
            assertThat(shed.statusCode()).isEqualTo(503);
            assertThat(shed.body()).contains("temporary-reduced-capacity");
            assertThat(shed.headers().firstValueAsLong("Retry-After").orElseThrow())
                    .isBetween(1L, 3L);
            assertThat(get(container, "/health").statusCode()).isEqualTo(200);
            busy.forEach(Admission::cancel);
            assertThat(get(container, "/orders").headers().firstValue("X-RateLimit-Remaining"))
                    .hasValue("1");
            await().until(() -> shedder.inFlight() == 0);
        }
    }

    @Test
    void theApplicationMayWriteDenialsItself() throws Exception {
        try (Weir weir = twoPerCaller("ip");
                Container container = serve(new WeirFilter(
                        HttpLimiter.builder(weir).hideHeaders().build(),
                        (denied, request, response) -> response.getWriter().write("slow down: " + denied.status())))) {
            get(container, "/orders");
            HttpResponse<String> passed = get(container, "/orders");
            assertThat(passed.headers().firstValue("RateLimit")).isEmpty();
            HttpResponse<String> denied = get(container, "/orders");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.body()).isEqualTo("slow down: 429");
            assertThat(denied.headers().firstValue("Retry-After")).isPresent();
        }
    }

    @Test
    void aWebXmlNamesTheRules(@TempDir Path folder) throws Exception {
        Path rules = Files.writeString(
                folder.resolve("rules.yaml"), "rules: [ { name: all, limit: { requests: 1, window: 1h } } ]");
        WeirFilter filter = new WeirFilter();
        filter.init(parameters(Map.of("rules", rules.toString(), "trusted-proxies", "10.0.0.0/8, ::1")));
        try (Container container = serve(filter)) {
            assertThat(get(container, "/").statusCode()).isEqualTo(200);
            assertThat(get(container, "/").statusCode()).isEqualTo(429);
        }
    }

    @Test
    void whateverIsWrongInAWebXmlIsWrongAtStart(@TempDir Path folder) throws Exception {
        assertThatThrownBy(() -> init(Map.of()))
                .isInstanceOf(ServletException.class)
                .hasMessage("WeirFilter: parameter 'rules' is missing (expected: a rule file or folder)");
        assertThatThrownBy(() -> init(Map.of("rule", "rules.yaml")))
                .hasMessage("WeirFilter: unknown parameter 'rule'"
                        + " (expected: domain, forwarded-header, rules, trusted-proxies)");
        Path rules = Files.writeString(
                folder.resolve("rules.yaml"),
                "domain: shop\nrules: [ { name: all, limit: { requests: 1, window: 1h } } ]");
        assertThatThrownBy(() -> init(Map.of("rules", rules.toString(), "domain", "shoop")))
                .hasMessage("WeirFilter: domain: shoop (expected: one of shop)");
        assertThatThrownBy(() ->
                        init(Map.of("rules", rules.toString(), "trusted-proxies", "::1", "forwarded-header", "via")))
                .hasMessage("WeirFilter: forwarded-header: via (expected: x-forwarded-for or forwarded)");
        Files.writeString(rules, "rules: [ { name: all, limit: { request: 1, window: 1h } } ]");
        assertThatThrownBy(() -> init(Map.of("rules", rules.toString())))
                .hasMessageContaining("rules.yaml:1:32")
                .hasMessageContaining("did you mean requests?");
    }

    private static void init(Map<String, String> parameters) throws ServletException {
        WeirFilter filter = new WeirFilter();
        try {
            filter.init(parameters(parameters));
        } finally {
            filter.destroy();
        }
    }

    private static FilterConfig parameters(Map<String, String> parameters) {
        return (FilterConfig) Proxy.newProxyInstance(
                WeirFilterTest.class.getClassLoader(),
                new Class<?>[] {FilterConfig.class},
                (proxy, method, arguments) -> method.getName().equals("getInitParameter")
                        ? parameters.get((String) arguments[0])
                        : Collections.enumeration(parameters.keySet()));
    }
}
