package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.server.lifecycle.StartException;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits that shrink for callers with a bad reputation. */
class ReputationServerTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private Path rules;
    private Path list;

    @BeforeEach
    void files() throws Exception {
        rules = Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                rules:
                  - name: login
                    key_by: ip
                    limit: { requests: 20, window: 1h, algorithm: fixed_window }
                    reputation: { 80: 0.5, 95: 0.1 }
                """);
        list = Files.writeString(folder.resolve("reputation.txt"), """
                # addresses with their scores
                192.0.2.0/24 85
                192.0.2.66   97   ; worse than its block
                192.0.2.77   10
                2001:db8::/32, 99
                198.51.100.1 79
                """);
    }

    @Test
    void callersWithABadReputationHaveAShareOfTheLimit() throws Exception {
        Path friends = Files.writeString(folder.resolve("friends.txt"), "192.0.2.7\n");
        try (RunningServer server =
                RunningServer.with(rules, "reputation_lists", list.toString(), "ban_lists", "allow:" + friends)) {
            assertThat(passing(server, "203.0.113.1")).isEqualTo(20);
            assertThat(passing(server, "198.51.100.1")).isEqualTo(20);
            assertThat(passing(server, "192.0.2.1")).isEqualTo(10);
            assertThat(passing(server, "192.0.2.66")).isEqualTo(2);
            assertThat(passing(server, "192.0.2.77"))
                    .as("the worst score holds")
                    .isEqualTo(10);
            assertThat(passing(server, "2001:db8::5")).isEqualTo(2);
            assertThat(passing(server, "192.0.2.7")).as("exempt").isEqualTo(20);
            assertThat(server.http.get("/metrics").body())
                    .contains("ratelimit_reputation_list_entries 5.0", "ratelimit_reputation_lists_current 1.0");
        }
    }

    @Test
    void explainTellsTheShareAndItsCause() throws Exception {
        try (RunningServer server = RunningServer.with(rules, "reputation_lists", list.toString())) {
            assertThat(explained(server, "192.0.2.1"))
                    .isEqualTo(
                            limit(10).put("from", "reputation").put("score", 80).put("share", 0.5));
            assertThat(explained(server, "203.0.113.1")).isEqualTo(limit(20).put("from", "rule"));
        }
    }

    private static JsonObject explained(RunningServer server, String ip) throws Exception {
        String question = "{\"domain\": \"api\", \"descriptors\": [{\"entries\": [{\"key\": \"ip\", \"value\": \"" + ip
                + "\"}]}]}";
        return new JsonObject(server.admin.post("/admin/v1/explain", question).body())
                .getJsonArray("rules")
                .getJsonObject(0)
                .getJsonObject("limit");
    }

    private static JsonObject limit(int requests) {
        return new JsonObject()
                .put("requests", requests)
                .put("window", "1h")
                .put("algorithm", "fixed_window")
                .put("burst", requests);
    }

    @Test
    void aNewScoreHoldsForTheHitsThatWereCounted() throws Exception {
        try (RunningServer server = RunningServer.with(rules, "reputation_lists", list.toString())) {
            for (int i = 0; i < 5; i++) {
                assertThat(check(server, "203.0.113.1")).isEqualTo(200);
            }
            Files.writeString(list, "203.0.113.0/24 97\n");
            await().atMost(LONG).until(() -> explained(server, "203.0.113.1").getInteger("requests") == 2);
            assertThat(check(server, "203.0.113.1")).isEqualTo(429);
            Files.writeString(list, "203.0.113.0/24 197\n");
            await().atMost(LONG)
                    .until(() -> server.http.get("/metrics").body().contains("ratelimit_reputation_lists_current 0.0"));
            assertThat(check(server, "203.0.113.1")).isEqualTo(429);
            Files.writeString(list, "203.0.113.0/24 1\n");
            await().atMost(LONG).until(() -> explained(server, "203.0.113.1").getInteger("requests") == 20);
            assertThat(check(server, "203.0.113.1")).isEqualTo(200);
        }
    }

    @Test
    void aWrongLineIsNamed() throws Exception {
        for (String wrong :
                List.of("192.0.2.1", "192.0.2.1 101", "192.0.2.1 -1", "192.0.2.1 bad", "192.0.2.1 5 5", "x 5")) {
            Files.writeString(list, "192.0.2.2 5\n" + wrong + "\n");
            assertThatThrownBy(() -> RunningServer.with(rules, "reputation_lists", list.toString()))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining(
                            "reputation.txt:2: '" + wrong + "' (expected: an address or a block and a score");
        }
    }

    private static int passing(RunningServer server, String ip) throws Exception {
        List<Integer> answers = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            answers.add(check(server, ip));
        }
        return (int) answers.stream().filter(each -> each == 200).count();
    }

    private static int check(RunningServer server, String ip) throws Exception {
        return server.http
                .post("/v1/ratelimit/check", "{\"domain\": \"api\", \"ip\": \"" + ip + "\"}")
                .statusCode();
    }
}
