package dev.weir.server.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every feature while its Redis is paused: connections are open, and nothing answers. */
class FeatureOutageTest {
    /** Longer than the deadline and what a stalled process may add to it, for a busy machine. */
    private static final Duration SOON = Duration.ofSeconds(5);

    @TempDir
    static Path folder;

    private static RedisProcess redis;
    private static RunningServer server;

    @BeforeAll
    static void start() throws Exception {
        redis = RedisProcess.start();
        server = RunningServer.with(
                FeatureRules.in(folder, "50ms"),
                "store",
                redis.uri(),
                "reputation_lists",
                FeatureRules.reputations(folder).toString());
        redis.pause();
    }

    @AfterAll
    static void stop() {
        redis.resume();
        server.close();
        redis.close();
    }

    @ParameterizedTest
    @EnumSource
    void onFailAllowLetsItPassWithinTheDeadlineAndSaysSo(Feature feature) throws Exception {
        HttpResponse<String> answer = ask(feature, "api");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(new JsonObject(answer.body()).getBoolean("degraded"))
                .as(answer.body())
                .isTrue();
        assertThat(degraded("api", feature)).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void onFailDenyDeniesItWithinTheDeadline(Feature feature) throws Exception {
        HttpResponse<String> answer = ask(feature, "strict");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
        assertThat(degraded("strict", feature)).isPositive();
    }

    private static HttpResponse<String> ask(Feature feature, String domain) throws Exception {
        long start = System.nanoTime();
        HttpResponse<String> answer =
                server.http.post(feature.path, feature.request(domain, 1).encode());
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
        return answer;
    }

    private static double degraded(String domain, Feature feature) throws Exception {
        String series = "ratelimit_degraded_total{domain=\"" + domain + "\",rule=\"" + feature.rule(1) + "\"} ";
        return server.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(series))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
                .findFirst()
                .orElseThrow();
    }
}
