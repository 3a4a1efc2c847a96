package dev.weir.redis.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RespConnection.RedisError;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisProcessTest {

    @Test
    void itAnswersIsKilledAndComesBackOnItsPort() {
        try (RedisProcess redis = RedisProcess.start("maxmemory 5mb")) {
            assertThat(redis.cli("SET", "a", "b")).isEqualTo("OK");
            assertThat(redis.cli("GET", "a")).isEqualTo("b");
            assertThat(redis.cli("GET", "c")).isNull();
            assertThat(redis.info("server", "redis_version")).isEqualTo(RedisBinary.VERSION);
            assertThat(redis.info("memory", "maxmemory")).isEqualTo("5242880");
            assertThat(redis.commandCalls()).containsAllEntriesOf(Map.of("get", 2L, "set", 1L));
            int port = redis.port();
            redis.kill();
            assertThat(redis.isRunning()).isFalse();
            assertThatThrownBy(() -> redis.cli("PING")).isInstanceOf(UncheckedIOException.class);
            redis.restart();
            assertThat(redis.port()).isEqualTo(port);
            assertThat(redis.cli("GET", "a")).isNull();
        }
    }

    @Test
    void aPausedOneKeepsConnectionsAndAnswersWhenResumed() throws IOException {
        try (RedisProcess redis = RedisProcess.start();
                RespConnection impatient = new RespConnection(redis.port(), 100)) {
            impatient.call("PING");
            redis.pause();
            assertThatThrownBy(() -> impatient.call("PING")).isInstanceOf(IOException.class);
            redis.resume();
            assertThat(redis.cli("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aPasswordIsAskedOfOthers() {
        try (RedisProcess redis = RedisProcess.start()) {
            redis.password("secret");
            assertThat(redis.uri()).isEqualTo("redis://:secret@127.0.0.1:" + redis.port());
            assertThat(redis.cli("PING")).isEqualTo("PONG");
            assertThatThrownBy(() -> {
                        try (RespConnection stranger = new RespConnection(redis.port(), 1_000)) {
                            stranger.call("PING");
                        }
                    })
                    .isInstanceOf(RedisError.class)
                    .hasMessageStartingWith("NOAUTH");
            redis.restart();
            assertThat(redis.cli("PING")).isEqualTo("PONG");
            redis.password("");
            assertThat(redis.uri()).isEqualTo("redis://127.0.0.1:" + redis.port());
            assertThat(redis.cli("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aWrongSettingIsToldWithWhatRedisSaid() {
        assertThatThrownBy(() -> RedisProcess.start("no-such-setting 1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no-such-setting");
    }

    /** The server ends also if the JVM is killed, and also if the server is paused. */
    @Test
    void nothingIsLeftBehindByAJvmThatDies(@TempDir Path temporary) throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // The executable that it unpacks is all that stays.
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Orphaned.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8))) {
            String[] words = String.valueOf(out.readLine()).split(" ", -1);
            ProcessHandle server = ProcessHandle.of(Long.parseLong(words[0])).orElseThrow();
            Path folder = Path.of(words[1]);
            assertThat(server.isAlive()).isTrue();
            assertThat(folder).exists();
            jvm.destroyForcibly().waitFor();
            await().until(() -> !server.isAlive() && !Files.exists(folder));
        }
    }

    /** Starts a Redis, pauses it, tells of it, and waits to be killed. */
    static final class Orphaned {
        private Orphaned() {}

        public static void main(String[] args) throws InterruptedException {
            RedisProcess redis = RedisProcess.start();
            String pid = redis.info("server", "process_id");
            redis.pause();
            System.out.println(pid + " " + redis.folder());
            Thread.currentThread().join();
        }
    }
}
