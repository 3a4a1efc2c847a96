package dev.weir.server.monitoring;

import dev.weir.server.HttpCaller;
import dev.weir.testkit.ExternalPrograms;
import dev.weir.testkit.FreePorts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** A real Prometheus that scrapes servers every second, with the rules and alerts of {@code monitoring/}. */
final class PrometheusProcess implements AutoCloseable {
    // The shell kills it when its own input ends, which the system sees to if this JVM dies.
    private static final String WATCHED = """
            log=$1; shift
            "$@" </dev/null >"$log" 2>&1 &
            server=$!
            read -r nothing
            kill -9 $server
            wait $server
            """;

    private final Process shell;
    private final HttpCaller http;

    private PrometheusProcess(Process shell, int port) {
        this.shell = shell;
        http = new HttpCaller(port);
    }

    /** Starts one with its data in {@code folder}; {@code ports} are the HTTP ports of the servers. */
    static PrometheusProcess scraping(Path folder, int... ports) throws Exception {
        Path program = ExternalPrograms.program("prometheus");
        String targets = Arrays.stream(ports)
                .mapToObj(each -> "\"127.0.0.1:" + each + "\"")
                .collect(Collectors.joining(", "));
        Path config = Files.writeString(
                folder.resolve("prometheus.yml"), """
                global: { scrape_interval: 1s, evaluation_interval: 1s }
                rule_files: ["%1$s/rules/weir.yaml", "%1$s/alerts/weir.yaml"]
                scrape_configs:
                  - job_name: weir
                    static_configs: [{ targets: [%2$s] }]
                """.formatted(Dashboard.MONITORING.toAbsolutePath(), targets));
        int port = FreePorts.free();
        Process shell = new ProcessBuilder(
                        "bash",
                        "-c",
                        WATCHED,
                        "bash",
                        folder.resolve("log").toString(),
                        program.toString(),
                        "--config.file=" + config,
                        "--enable-feature=exemplar-storage",
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .start();
        PrometheusProcess prometheus = new PrometheusProcess(shell, port);
        Awaitility.await()
                .ignoreExceptions()
                .until(() -> prometheus.http.get("/-/ready").statusCode() == 200);
        return prometheus;
    }

    /** The samples of an instant query. */
    List<JsonObject> query(String expression) throws IOException, InterruptedException {
        String body = http.get("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
                .body();
        JsonObject answer = new JsonObject(body);
        if (!"success".equals(answer.getString("status"))) {
            throw new AssertionError(expression + ": " + body);
        }
        return Dashboard.objects(answer.getJsonObject("data").getJsonArray("result"))
                .toList();
    }

    /** The exemplars of a series of the last hour, as Prometheus answers. */
    String exemplars(String selector) throws IOException, InterruptedException {
        long now = System.currentTimeMillis() / 1_000;
        return http.get("/api/v1/query_exemplars?start=" + (now - 3_600) + "&end=" + (now + 60) + "&query="
                        + URLEncoder.encode(selector, StandardCharsets.UTF_8))
                .body();
    }

    /** The names of the alerts that are pending or fire: their expression holds. */
    Set<String> alerts() throws IOException, InterruptedException {
        JsonArray all = new JsonObject(http.get("/api/v1/alerts").body())
                .getJsonObject("data")
                .getJsonArray("alerts");
        return Dashboard.objects(all)
                .map(each -> each.getJsonObject("labels").getString("alertname"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public void close() throws IOException {
        shell.getOutputStream().close();
        shell.onExit().join();
    }
}
