package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.testkit.ServedProcess;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real process, since only a process gets signals and has an exit code. */
class ServeProcessTest {
    @TempDir
    Path folder;

    @Test
    void sigtermMakesItSayThatItIsNotServingDrainAndExitWithZero() throws Exception {
        try (ServedProcess served = ServedProcess.in(folder, "--drain-delay=700ms")) {
            // Nobody reads this on a terminal, so it is JSON.
            assertThat(served.ready())
                    .startsWith("{\"time\":")
                    .contains("grpc://127.0.0.1:", "admin http://127.0.0.1:");
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest health = HttpRequest.newBuilder(URI.create(served.http() + "/healthcheck"))
                    .build();
            assertThat(client.send(health, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);

            Process process = served.process();
            // Not process.destroy(), which also closes what is still to be read.
            process.toHandle().destroy();
            await().atMost(Duration.ofSeconds(5))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> client.send(health, BodyHandlers.ofString()).statusCode() == 500);
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(served.output().lines().toList())
                    .satisfiesExactly(
                            first -> assertThat(first).contains("no longer serving"),
                            last -> assertThat(last).contains("stopped"));
        }
    }

    /** Bans and switches are passed on through Redis, and must not ask it any more once its connections are closed. */
    @Test
    void aServerOnRedisStopsWithoutAWarning() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                ServedProcess served =
                        ServedProcess.in(folder, "--drain-delay=0s", "--data=data", "--store=" + redis.uri())) {
            served.process().toHandle().destroy();
            assertThat(served.output().lines().toList())
                    .satisfiesExactly(
                            first -> assertThat(first).contains("no longer serving"),
                            last -> assertThat(last).contains("stopped"));
        }
    }

    @Test
    void whatAPeerSentIsNotRepeatedInTheLog() throws Exception {
        try (ServedProcess served = ServedProcess.in(folder, "--drain-delay=0s")) {
            int port = URI.create(served.http()).getPort();
            try (Socket lost = new Socket(InetAddress.getLoopbackAddress(), port)) {
                lost.getOutputStream()
                        .write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nAuthorization: Bearer secret\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                lost.getInputStream().readAllBytes(); // until the server hangs up
            }
            served.process().toHandle().destroy();
            assertThat(served.output().lines().toList())
                    .satisfiesExactly(
                            first -> assertThat(first).contains("no longer serving"),
                            last -> assertThat(last).contains("stopped"));
        }
    }

    @Test
    void itIsGoneWithinTheDrainTimeoutWhateverAPeerDoes() throws Exception {
        Duration timeout = Duration.ofSeconds(6);
        try (ServedProcess served = ServedProcess.in(folder, "--drain-delay=0s", "--drain-timeout=6s");
                Socket mute = new Socket(InetAddress.getLoopbackAddress(), served.grpcPort())) {
            OutputStream out = mute.getOutputStream();
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS, and no ping is ever answered
            assertThat(mute.getInputStream().read())
                    .as("it has introduced itself")
                    .isNotNegative();
            long asked = System.nanoTime();
            served.process().toHandle().destroy();
            assertThat(served.process().waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(timeout);
            assertThat(served.process().exitValue()).isZero();
        }
    }

    @Test
    void aStartThatIsRefusedLeavesNothingUnsaid() {
        assertThatThrownBy(() -> ServedProcess.in(folder, "--admin-host=0.0.0.0"))
                .hasMessageContainingAll("on Java", "weir: admin_host: \"0.0.0.0\"");
    }
}
