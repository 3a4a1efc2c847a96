package dev.weir.server.shedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shedder is never the outage: requests that wait for Redis are no load. */
class SlowRedisTest {
    /** More than the 900 writes that an event loop takes on at once. */
    private static final int CALLERS = 1_000;

    private static final String BODY = "{\"domain\":\"api\",\"user_id\":\"u\"}";
    private static final byte[] CHECK = ("POST /v1/ratelimit/check HTTP/1.1\r\nHost: weir\r\nContent-Type:"
                    + " application/json\r\nContent-Length: " + BODY.length() + "\r\n\r\n" + BODY)
            .getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    @Test
    void nobodyIsRefusedBecauseRedisIsSlow() throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                rules:
                  - { name: all, key_by: user_id, deadline: 1s, limit: { requests: 1000000, window: 1h } }
                """);
        List<Socket> callers = new ArrayList<>();
        try (RedisProcess redis = RedisProcess.start();
                RunningServer server = RunningServer.with(rules, "store", redis.uri(), "event_loops", "1")) {
            await().until(() -> !server.post("/v1/ratelimit/check", BODY).body().contains("degraded"));
            for (int i = 0; i < CALLERS; i++) {
                callers.add(new Socket(InetAddress.getLoopbackAddress(), server.httpPort()));
            }
            redis.pause();
            try {
                for (Socket each : callers) {
                    each.getOutputStream().write(CHECK);
                }
                for (Socket each : callers) {
                    byte[] start = each.getInputStream().readNBytes("HTTP/1.1 200".length());
                    assertThat(new String(start, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
                }
            } finally {
                redis.resume();
            }
            assertThat(server.get("/metrics").body())
                    .contains("ratelimit_shed_total{port=\"http\",priority=\"write\"} 0.0")
                    .contains("ratelimit_shed_total{port=\"admin\",priority=\"critical\"} 0.0")
                    .contains("ratelimit_shedder_limit{port=\"http\"} 1000.0")
                    .contains("ratelimit_failopen_total");
        } finally {
            for (Socket each : callers) {
                each.close();
            }
        }
    }
}
