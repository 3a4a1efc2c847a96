package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.PemFiles;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.HttpCaller;
import dev.weir.server.RunningServer;
import dev.weir.server.documentation.DocumentationPages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metrics that the documentation tells of are those that a server with everything switched on shows. */
class DocumentedMetricsTest {
    private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE ((?:ratelimit|weir)_\\w+) ");

    @Test
    void theTableHasEveryMetricAndNoOther(@TempDir Path folder) throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), """
            domain: api
            key_by: user_id
            rules:
              - { name: all, limit: { requests: 10, window: 1m } }
            """);
        PemFiles tls = PemFiles.in(folder, "admin");
        Set<String> shown;
        try (RedisProcess here = RedisProcess.start();
                RedisProcess there = RedisProcess.start();
                RunningServer server = RunningServer.with(
                        rules,
                        "config",
                        Files.writeString(folder.resolve("weir.yaml"), """
                            region: eu
                            share_counts: true
                            regions: { eu: { store: "%s" }, us: { store: "%s" } }
                            """.formatted(here.uri(), there.uri()))
                                .toString(),
                        "rules",
                        rules + ",xds://127.0.0.1:1",
                        "rules_required",
                        "false",
                        "rules_wait",
                        "0s",
                        "data",
                        folder.resolve("data").toString(),
                        "decisions_file",
                        folder.resolve("decisions.jsonl").toString(),
                        "admin_tls_cert",
                        tls.certificate().toString(),
                        "admin_tls_key",
                        tls.key().toString())) {
            String page = new HttpCaller(server.httpPort()).get("/metrics").body();
            shown = TYPE.matcher(page)
                    .results()
                    .map(type -> type.group(1))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        Set<String> told = DocumentationPages.firstCells("metric").stream()
                .flatMap(cell -> DocumentationPages.spans(cell.text()).stream())
                .map(name -> name.replaceFirst("\\{.*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(told).isEqualTo(shown);
    }
}
