package dev.weir.redis.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
    private static RedisProcess redis;

    private FaultProxy proxy;
    private RespConnection connection;

    @BeforeAll
    static void startRedis() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.stop();
    }

    @BeforeEach
    void connect() throws IOException {
        proxy = FaultProxy.before(redis.port());
        connection = new RespConnection(proxy.port(), 300);
        assertThat(connection.call("PING")).isEqualTo("PONG");
    }

    @AfterEach
    void close() {
        connection.close();
        proxy.close();
    }

    @Test
    void itPassesBytesOnAndCountsThem() throws IOException {
        long up = proxy.bytesUp();
        long down = proxy.bytesDown();
        connection.call("ECHO", "abc");
        assertThat(proxy.bytesUp() - up).isEqualTo("*2\r\n$4\r\nECHO\r\n$3\r\nabc\r\n".length());
        assertThat(proxy.bytesDown() - down).isEqualTo("$3\r\nabc\r\n".length());
        assertThat(proxy.accepted()).isEqualTo(1);
        assertThat(proxy.connections()).isEqualTo(1);
    }

    @Test
    void latencyIsAddedOnBothWays() throws IOException {
        proxy.latency(Duration.ofMillis(30), Duration.ofMillis(50));
        long start = System.nanoTime();
        connection.call("PING");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(80));
    }

    @Test
    void aCutResetsWhatIsOpenAndLetsNewOnesIn() throws IOException {
        proxy.cut();
        assertThatThrownBy(() -> connection.call("PING")).isInstanceOfAny(SocketException.class, EOFException.class);
        try (RespConnection anew = new RespConnection(proxy.port(), 1_000)) {
            assertThat(anew.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aBlackHoleAcceptsAndSaysNothingAndLaterPassesOnWhatItHeld() throws IOException {
        proxy.blackHole();
        connection.send("SET", "held", "1");
        try (RespConnection anew = new RespConnection(proxy.port(), 100)) {
            assertThatThrownBy(() -> anew.call("PING")).isInstanceOf(SocketTimeoutException.class);
        }
        assertThat(redis.cli("GET", "held")).isNull();
        proxy.flow();
        await().until(() -> "1".equals(redis.cli("GET", "held")));
    }

    @Test
    void aRefusalEndsWithFlow() throws IOException {
        proxy.refuse();
        assertThatThrownBy(() -> new RespConnection(proxy.port(), 300)).isInstanceOf(ConnectException.class);
        proxy.flow();
        try (RespConnection anew = new RespConnection(proxy.port(), 1_000)) {
            assertThat(anew.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aReplyIsTornAfterSoManyBytes() {
        proxy.truncateReplies(4);
        assertThatThrownBy(() -> connection.call("ECHO", "a long answer")).isInstanceOf(EOFException.class);
        await().until(() -> proxy.connections() == 0);
    }
}
