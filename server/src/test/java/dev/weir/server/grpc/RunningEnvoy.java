package dev.weir.server.grpc;

import static java.util.concurrent.TimeUnit.SECONDS;
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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** A real Envoy with a documented route, warm. */
final class RunningEnvoy implements AutoCloseable {
    private static final int WARM_UP_CALLS = 50;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Process process;
    private final Path log;
    private final int port = FreePorts.free();

    /** Starts it with the file {@code resource} beside this class, in front of the server on the port {@code backend}. */
    RunningEnvoy(Path folder, String resource, int weir, int backend) throws Exception {
        String config = new String(
                        Objects.requireNonNull(RunningEnvoy.class.getResourceAsStream(resource))
                                .readAllBytes(),
                        StandardCharsets.UTF_8)
                .replace("ENVOY_PORT", Integer.toString(port))
                .replace("BACK_PORT", Integer.toString(backend))
                .replace("WEIR_PORT", Integer.toString(weir));
        Path file = Files.writeString(folder.resolve("envoy.yaml"), config);
        log = folder.resolve("envoy.log");
        process = new ProcessBuilder(
                        ExternalPrograms.program("envoy").toString(),
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
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            assertThat(process.isAlive()).as(this::log).isTrue();
            return listens();
        });
        for (int i = 0; i < WARM_UP_CALLS; i++) {
            get("/warm-up", "x-user", "warm-up-" + i).get(20, SECONDS);
        }
    }

    /** Sends a request, and completes with the status of the answer. */
    CompletableFuture<Integer> get(String path, String... headers) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .headers(headers)
                .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.discarding()).thenApply(HttpResponse::statusCode);
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Its log so far. */
    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Ends it without a word to anybody. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
