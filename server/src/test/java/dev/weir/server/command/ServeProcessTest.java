package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real process, since only a process gets signals and has an exit code. */
class ServeProcessTest {
    private static final Pattern HTTP = Pattern.compile("ready in [^:]*: (http://\\S+),");

    @TempDir
    Path folder;

    @Test
    void sigtermMakesItSayThatItIsNotServingDrainAndExitWithZero() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Weir.class.getName(),
                        "serve",
                        "--host=127.0.0.1",
                        "--http-port=0",
                        "--grpc-port=0",
                        "--admin-port=0",
                        "--warm-up=0s",
                        "--drain-delay=700ms")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader reader = process.inputReader()) {
            List<String> lines = new ArrayList<>();
            String line = reader.readLine();
            while (line != null && !line.contains("ready")) {
                lines.add(line);
                line = reader.readLine();
            }
            assertThat(line).as("after %s", lines).isNotNull();
            // Nobody reads this on a terminal, so it is JSON.
            assertThat(line).startsWith("{\"time\":").contains("grpc://127.0.0.1:", "admin http://127.0.0.1:");
            Matcher address = HTTP.matcher(line);
            assertThat(address.find()).isTrue();
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest health = HttpRequest.newBuilder(URI.create(address.group(1) + "/healthcheck"))
                    .build();
            assertThat(client.send(health, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);

            // Not process.destroy(), which also closes what is still to be read.
            process.toHandle().destroy();
            await().atMost(Duration.ofSeconds(5))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> client.send(health, BodyHandlers.ofString()).statusCode() == 500);
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(reader.lines().toList())
                    .satisfiesExactly(
                            first -> assertThat(first).contains("not serving any more"),
                            last -> assertThat(last).contains("stopped"));
        } finally {
            process.destroyForcibly();
        }
    }
}
