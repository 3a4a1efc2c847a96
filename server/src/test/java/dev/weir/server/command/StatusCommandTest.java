package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir status} against whole servers. */
class StatusCommandTest extends AtTheTerminal {
    @TempDir
    Path folder;

    @Test
    void aServerAndItsFleetAreShownAndTheExitCodeSaysWhetherAllIsWell() throws Exception {
        Path rules = Files.writeString(
                folder.resolve("rules.yaml"), "{domain: api, rules: [{name: r, limit: {requests: 2, window: 1h}}]}");
        try (RunningServer well =
                        RunningServer.with(rules, "data", folder.resolve("data").toString());
                RunningServer degraded = RunningServer.with(rules, "store", "redis://127.0.0.1:1")) {
            String first = "http://" + well.server.admin();
            String second = "http://" + degraded.server.admin();
            assertThat(executeAt(first, "status")).isZero();
            assertThat(out.toString())
                    .containsPattern("SERVER +VERSION +SERVING +RULES +STORES +OPEN BREAKERS +DATABASE +LEASED HITS")
                    .containsPattern(first + " +\\S+ +yes +1 +memory +0 +at change 0 +0 +-");
            assertThat(execute(List.of("status", first, second))).isEqualTo(1);
            assertThat(out.toString())
                    .containsPattern(second + " +\\S+ +yes +1 +0 of 1 connected +\\d +none +0 +store default, ");
            assertThat(execute(List.of("status", first, second, "http://127.0.0.1:1", "--json")))
                    .isEqualTo(4);
            List<JsonObject> lines = out.toString().lines().map(JsonObject::new).toList();
            assertThat(lines).hasSize(3);
            assertThat(lines.get(1).getJsonArray("stores").getJsonObject(0).getString("server"))
                    .isEqualTo("127.0.0.1:1");
            assertThat(lines.get(2).getString("unreachable")).contains("cannot connect");
        }
    }
}
