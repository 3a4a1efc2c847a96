package dev.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts a real Envoy with the filter that docs/envoy.md shows. Only ports are filled in. */
class EnvoyTest {
    /** Calls through Envoy before the first one that is judged: a cold JVM does not answer within Envoy's 20 ms. */
    private static final int WARM_UP_CALLS = 50;
    /** Users to try on a busy machine, until one has all of its calls answered within 20 ms. */
    private static final int USERS = 50;

    private static final int LIMIT = 3;
    private static final int LATE = 500;

    @Test
    void aRealEnvoyLimitsAndShowsWhatIsLeft(@TempDir Path folder) throws Exception {
        String envoy = ExternalPrograms.program("envoy").toString();
        int port = FreePorts.free();
        CountingDecider decider = new CountingDecider(LIMIT);
        try (TestGrpcServer server = new TestGrpcServer(decider)) {
            String config = new String(
                            EnvoyTest.class.getResourceAsStream("envoy.yaml").readAllBytes(), StandardCharsets.UTF_8)
                    .replace("ENVOY_PORT", Integer.toString(port))
                    .replace("BACK_PORT", Integer.toString(FreePorts.free()))
                    .replace("WEIR_PORT", Integer.toString(server.port()));
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
                for (int i = 0; i < WARM_UP_CALLS; i++) {
                    get(port, "warm-up-" + i);
                }
                List<HttpResponse<String>> answers = answersInTime(port);
                for (int i = 0; i < LIMIT; i++) {
                    HttpResponse<String> passed = answers.get(i);
                    assertThat(passed.statusCode()).as(() -> read(log)).isEqualTo(200);
                    assertThat(passed.headers().firstValue("x-ratelimit-remaining"))
                            .hasValue(Integer.toString(LIMIT - 1 - i));
                    assertThat(passed.headers().firstValue("x-ratelimit-reset")).hasValue("2");
                    assertThat(passed.headers().firstValue("x-ratelimit-limit"))
                            .hasValueSatisfying(limit -> assertThat(limit).startsWith("3, 3;w=60"));
                }
                assertThat(answers.get(LIMIT).statusCode()).isEqualTo(429);
                assertThat(answers.get(LIMIT).headers().firstValue("x-weir-status"))
                        .isEmpty();
                HttpResponse<String> capacity = denied(port, CountingDecider.CAPACITY);
                assertThat(capacity.statusCode()).as(() -> read(log)).isEqualTo(503);
                assertThat(capacity.headers().firstValue("x-weir-status")).hasValue("503");
                assertThat(capacity.headers().firstValue("retry-after")).hasValue("2");
                assertThat(capacity.headers().firstValue("content-type")).hasValue("application/problem+json");
                assertThat(capacity.body()).contains("temporary-reduced-capacity");
                HttpResponse<String> forbidden = denied(port, CountingDecider.FORBIDDEN);
                assertThat(forbidden.statusCode()).isEqualTo(403);
                assertThat(forbidden.headers().firstValue("retry-after")).isEmpty();
                assertThat(forbidden.body()).contains("\"status\":403");
                assertThat(decider.decided).hasValueGreaterThanOrEqualTo(LIMIT + 1);
                assertThat(server.failures).isEmpty();
                assertThat(server.cutOff).isEmpty();
            } finally {
                run.destroy();
                run.waitFor();
            }
        }
    }

    /** The answers to one user's calls, one more than the limit. A user with a late answer is left for the next one. */
    private static List<HttpResponse<String>> answersInTime(int port) throws IOException, InterruptedException {
        List<HttpResponse<String>> answers = new ArrayList<>();
        for (int user = 0; user < USERS; user++) {
            answers.clear();
            while (answers.size() <= LIMIT
                    && (answers.isEmpty() || answers.get(answers.size() - 1).statusCode() != LATE)) {
                answers.add(get(port, "user-" + user));
            }
            if (answers.get(answers.size() - 1).statusCode() != LATE) {
                return answers;
            }
        }
        return fail("none of %d users had all calls answered within Envoy's timeout", USERS);
    }

    /** The first answer to {@code user} that Weir itself gave: Envoy answers 500 while Weir is late. */
    private static HttpResponse<String> denied(int port, String user) throws IOException, InterruptedException {
        for (int i = 0; i < USERS; i++) {
            HttpResponse<String> answer = get(port, user);
            if (answer.headers().firstValue("x-weir-status").isPresent()) {
                return answer;
            }
        }
        return fail("Weir denied none of %d calls of %s with a status", USERS, user);
    }

    private static HttpResponse<String> get(int port, String user) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                .header("x-user", user)
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
