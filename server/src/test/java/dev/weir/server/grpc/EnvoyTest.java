package dev.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.testkit.ExternalPrograms;
import dev.weir.testkit.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvoyTest {

    @Test
    void aRealEnvoyLimitsAndShowsWhatIsLeft(@TempDir Path folder) throws Exception {
        String envoy = ExternalPrograms.program("envoy").toString();
        int port = FreePorts.free();
        CountingDecider decider = new CountingDecider(3);
        try (TestGrpcServer rig = new TestGrpcServer(decider)) {
            String config = new String(
                            EnvoyTest.class.getResourceAsStream("envoy.yaml").readAllBytes(), StandardCharsets.UTF_8)
                    .replace(
                            "timeout: 20ms",
                            "timeout: 5s") // for a busy machine; the file is what the documentation shows
                    .replace("ENVOY_PORT", Integer.toString(port))
                    .replace("BACK_PORT", Integer.toString(FreePorts.free()))
                    .replace("LANE_PORT", Integer.toString(rig.port()));
            Path file = Files.writeString(folder.resolve("envoy.yaml"), config);
            Path log = folder.resolve("envoy.log");
            Process run = new ProcessBuilder(
                            envoy,
                            "-c",
                            file.toString(),
                            "--concurrency",
                            "1",
                            "--disable-hot-restart",
                            "-l",
                            "warning")
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            try {
                await().atMost(Duration.ofSeconds(20)).until(() -> {
                    assertThat(run.isAlive()).as(() -> read(log)).isTrue();
                    return listens(port);
                });
                for (int left = 2; left >= 0; left--) {
                    HttpResponse<String> passed = get(port);
                    assertThat(passed.statusCode()).as(() -> read(log)).isEqualTo(200);
                    assertThat(passed.headers().firstValue("x-ratelimit-remaining"))
                            .hasValue(Integer.toString(left));
                    assertThat(passed.headers().firstValue("x-ratelimit-reset")).hasValue("2");
                    assertThat(passed.headers().firstValue("x-ratelimit-limit"))
                            .hasValueSatisfying(limit -> assertThat(limit).startsWith("3, 3;w=60"));
                }
                assertThat(get(port).statusCode()).isEqualTo(429);
                assertThat(decider.decided).hasValue(4);
                assertThat(rig.failures).isEmpty();
                assertThat(rig.cutOff).isEmpty();
            } finally {
                run.destroy();
                run.waitFor();
            }
        }
    }

    private static HttpResponse<String> get(int port) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                .header("x-user", "u1")
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static String read(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
