package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Request;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody who makes up keys, domains and names of rules, against what operators look at. */
class CallerFloodTest {
    private static final int FLOOD = 300_000;
    private static final int HEAVY = 20;

    @TempDir
    Path folder;

    @Test
    void aFloodOfMadeUpNamesCreatesNoSeriesAndPushesNoHeavyCallerOut() throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                rules: [{ name: none, key_by: user_id, limit: { requests: 0, window: 1h } }]
                """);
        try (RunningServer server = RunningServer.with(rules)) {
            await().until(() -> series(server).contains("ratelimit_denied_total{domain=\"api\",rule=\"none\"}"));
            Set<String> before = series(server);
            SplittableRandom random = new SplittableRandom(5);
            flood(server, random, FLOOD);
            for (int i = 0; i < 200; i++) {
                String name = Long.toHexString(random.nextLong());
                server.http.check(new JsonObject()
                        .put("domain", name)
                        .put("user_id", name)
                        .put("rule", name));
                server.grpc(name, name, name, "x-" + name, name);
                server.admin.get("/admin/v1/live?domain=" + name + "&q=" + name);
            }
            // The flood goes on: of a fast one, the names of callers are read in one denial of a thousand.
            await().untilAsserted(() -> {
                flood(server, random, FLOOD / 100);
                assertThat(new JsonObject(server.admin
                                        .get("/admin/v1/top?by=denied&limit=" + HEAVY)
                                        .body())
                                .getJsonArray("keys"))
                        .extracting(each -> ((JsonObject) each).getString("key"))
                        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, HEAVY)
                                .mapToObj(i -> "user_id=heavy" + i)
                                .toList());
            });
            assertThat(series(server)).isEqualTo(before);
        }
    }

    /** Asks for callers with made-up names; of twenty requests one is of a heavy caller. */
    private static void flood(RunningServer server, SplittableRandom random, int requests) {
        for (int i = 0; i < requests; i++) {
            boolean heavy = random.nextInt(20) == 0;
            String user = heavy ? "heavy" + random.nextInt(HEAVY) : Long.toHexString(random.nextLong());
            server.server
                    .limiter()
                    .decide(Request.to(heavy || i % 10 > 0 ? "api" : "domain" + random.nextLong())
                            .descriptor()
                            .with("user_id", user)
                            .with("weir.rule", "rule" + random.nextLong()));
        }
    }

    /** Every series by its name and labels; those of the JVM come and go with its collectors. */
    private static Set<String> series(RunningServer server) throws Exception {
        return server.http
                .get("/metrics")
                .body()
                .lines()
                .filter(line -> !line.startsWith("#") && !line.startsWith("jvm_"))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
