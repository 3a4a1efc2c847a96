package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The behaviour of every gateway with a file of {@code examples/}. */
abstract class GatewayContract {
    private static final int MANY = 1_000;
    private static final int TRIES = 20;
    private static final String POLICY = "\"address\";q=" + GatewayKit.LIMIT + ";w=86400";

    @TempDir
    Path folder;

    /** Starts the gateway of {@code kit}. */
    abstract void start(GatewayKit kit) throws Exception;

    /** The gateway's own account of requests that it let pass because Weir was away. */
    abstract long passedWithoutWeir(GatewayKit kit);

    @Test
    void limitsByRulesAndPassesWhenWeirIsAway() throws Exception {
        try (GatewayKit kit = new GatewayKit(folder)) {
            start(kit);
            long away = passedWithoutWeir(kit);

            List<HttpResponse<String>> answers = kit.many(MANY, "/limited?page=2");
            long counted = answers.stream()
                    .filter(each -> each.statusCode() == 200)
                    .filter(each -> each.headers().firstValue("RateLimit").isPresent())
                    .count();
            long unasked =
                    answers.stream().filter(each -> each.statusCode() == 200).count() - counted;
            long late = passedWithoutWeir(kit) - away;
            assertThat(unasked).as("passed without Weir's answer").isEqualTo(late);
            // A request whose answer came too late for the gateway has taken its hit.
            assertThat(counted).isBetween(GatewayKit.LIMIT - late, (long) GatewayKit.LIMIT);
            HttpResponse<String> denied = answers.stream()
                    .filter(each -> each.statusCode() != 200)
                    .findFirst()
                    .orElseThrow();
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.headers().firstValue("Retry-After")).isPresent();
            assertThat(denied.headers().firstValue("RateLimit").orElse("")).startsWith("\"address\";r=0");
            assertThat(answers)
                    .filteredOn(each -> each.headers().firstValue("RateLimit").isPresent())
                    .allMatch(each -> each.headers()
                            .firstValue("RateLimit-Policy")
                            .orElse("")
                            .equals(POLICY));
            assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");

            assertThat(untilAnswered(kit, "POST", "/orders?a=b", "the body").body())
                    .isEqualTo("POST /orders?a=b the body");
            HttpResponse<String> busy = untilAnswered(kit, "GET", "/busy", "");
            assertThat(busy.statusCode()).isEqualTo(503);
            assertThat(busy.headers().firstValue("RateLimit-Policy")).isPresent();
            HttpResponse<String> forbidden = untilAnswered(kit, "DELETE", "/orders/./?x", "");
            assertThat(forbidden.statusCode()).isEqualTo(403);
            assertThat(forbidden.headers().firstValue("RateLimit-Policy")).isPresent();
            theCallersOwnHeadersDoNotCount(kit);
            aHeadThatWeirWouldRefuseDoesNotPass(kit);

            kit.weir.server.close();
            long before = passedWithoutWeir(kit);
            assertThat(kit.many(50, "/limited")).allMatch(each -> each.statusCode() == 200);
            assertThat(passedWithoutWeir(kit) - before).isEqualTo(50);
        }
    }

    private void theCallersOwnHeadersDoNotCount(GatewayKit kit) throws Exception {
        for (int i = 0; i < TRIES; i++) {
            long before = passedWithoutWeir(kit);
            String key = "key-" + i;
            int first = kit.get("/keyed", "X-API-Key", key, "X-Original-URI", "/free")
                    .statusCode();
            int second = kit.get("/keyed", "X-API-Key", key, "X-Forwarded-Uri", "/free")
                    .statusCode();
            if (passedWithoutWeir(kit) == before) {
                assertThat(first).isEqualTo(200);
                assertThat(second).isEqualTo(429);
                return;
            }
        }
        fail("the gateway did not wait for Weir");
    }

    /** Such requests of a caller that has used up its limit. */
    private void aHeadThatWeirWouldRefuseDoesNotPass(GatewayKit kit) throws Exception {
        String seven = "x".repeat(7_000);
        String eight = "x".repeat(8_000);
        String[] many = new String[600];
        for (int i = 0; i < many.length; i += 2) {
            many[i] = "X-H" + i;
            many[i + 1] = "1";
        }
        refused(kit, "/limited", many);
        refused(kit, "/limited", "X-A", seven, "X-B", seven, "X-C", seven);
        refused(kit, "/limited?" + eight, "X-API-Key", eight);
        refused(kit, "/limited?" + "x".repeat(500_000), "X-API-Key", "x".repeat(200_000));
        refused(kit, "/limited", "X-API-Key", "x".repeat(200_000));
        refused(kit, "/limited", "X-API-Key", "a", "X-Weir-Priority", "test");
    }

    private void refused(GatewayKit kit, String path, String... headers) throws Exception {
        for (int i = 0; i < TRIES; i++) {
            long away = passedWithoutWeir(kit);
            int served = kit.served.get();
            try {
                assertThat(kit.get(path, headers).statusCode()).isBetween(200, 499);
            } catch (IOException e) {
                // The gateway closed the connection.
            }
            if (kit.served.get() == served) {
                return;
            }
            assertThat(passedWithoutWeir(kit))
                    .as("passed, and not because Weir was late")
                    .isGreaterThan(away);
        }
        fail("passed each time");
    }

    /** Sends a request again if the gateway did not wait for Weir: a busy machine may take longer than it waits. */
    private HttpResponse<String> untilAnswered(GatewayKit kit, String method, String path, String body)
            throws Exception {
        while (true) {
            long before = passedWithoutWeir(kit);
            HttpResponse<String> answer = kit.send(method, path, body);
            if (passedWithoutWeir(kit) == before) {
                return answer;
            }
        }
    }
}
