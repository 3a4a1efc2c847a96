package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The behaviour of every gateway with a file of {@code examples/}. */
abstract class GatewayContract {
    private static final int MANY = 1_000;

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
            assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");

            assertThat(untilAnswered(kit, "POST", "/orders?a=b", "the body").body())
                    .isEqualTo("POST /orders?a=b the body");
            assertThat(untilAnswered(kit, "GET", "/busy", "").statusCode()).isEqualTo(503);
            assertThat(untilAnswered(kit, "DELETE", "/orders/./?x", "").statusCode())
                    .isEqualTo(403);
            assertThat(kit.get("/keyed", "X-API-Key", "a", "X-Original-URI", "/free")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(kit.get("/keyed", "X-API-Key", "a", "X-Forwarded-Uri", "/free")
                            .statusCode())
                    .isEqualTo(429);

            kit.weir.server.close();
            long before = passedWithoutWeir(kit);
            assertThat(kit.many(50, "/limited")).allMatch(each -> each.statusCode() == 200);
            assertThat(passedWithoutWeir(kit) - before).isEqualTo(50);
        }
    }

    /** Sends a request again if the gateway did not wait for Weir: a busy machine may take longer than 50 ms. */
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
