package dev.weir.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreFailure;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateExpiredException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisFailuresTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OOM command not allowed when used memory > 'maxmemory'. script: 1, on @user_script:1. | UNAVAILABLE",
                "ERR Error running script (call to f_1): @user_script:3: @user_script: 3: -OOM command not allowed | UNAVAILABLE",
                "READONLY You can't write against a read only replica. | UNAVAILABLE",
                "LOADING Redis is loading the dataset in memory | UNAVAILABLE",
                "CLUSTERDOWN The cluster is down | UNAVAILABLE",
                "BUSY Redis is busy running a script. | UNAVAILABLE",
                "MISCONF Redis is configured to save RDB snapshots | UNAVAILABLE",
                "NOREPLICAS Not enough good replicas to write. | UNAVAILABLE",
                "ERR max number of clients reached | UNAVAILABLE",
                "NOAUTH Authentication required. | REFUSED",
                "WRONGPASS invalid username-password pair or user is disabled. | REFUSED",
                "NOPERM this user has no permissions to run the 'evalsha' command | REFUSED",
                "CROSSSLOT Keys in request don't hash to the same slot | BROKEN",
                "ERR user_script:1: attempt to index a nil value | BROKEN"
            })
    void anErrorIsKnownByItsFirstWord(String error, StoreFailure failure) {
        assertThat(RedisFailures.ofError(error)).isEqualTo(failure);
    }

    @Test
    void aConnectionThatCouldNotBeHadSaysWhy() {
        Throwable refused = new RedisConnectionException(
                "Unable to connect", new RedisCommandExecutionException("WRONGPASS invalid username-password pair"));
        assertThat(RedisFailures.of(refused)).isEqualTo(StoreFailure.REFUSED);
        assertThat(RedisFailures.of(new RedisConnectionException("x", new ConnectException("refused"))))
                .isEqualTo(StoreFailure.UNREACHABLE);
        assertThat(RedisFailures.reason(new RedisConnectionException("x", new ConnectException("refused"))))
                .isEqualTo("refused");
    }

    @Test
    void exceptionsBecomeReadableReasons() {
        assertThat(RedisFailures.reason(new RedisConnectionException("x", new ClosedChannelException())))
                .isEqualTo("the connection was closed");
        assertThat(RedisFailures.reason(new RedisConnectionException(
                        "x", new CertificateExpiredException("NotAfter: Sun Nov 15 12:00:00 UTC 2026"))))
                .isEqualTo("its certificate is not valid at this time, NotAfter: Sun Nov 15 12:00:00 UTC 2026");
    }

    @Test
    void aReplyThatDoesNotComeIsNamedAsSuch() {
        assertThat(RedisFailures.reason(new TimeoutException())).isEqualTo("no answer");
    }

    @Test
    void aReasonNamesRedisNoSecondTime() {
        assertThat(RedisFailures.reason(new IOException("redis: the connection was closed")))
                .isEqualTo("the connection was closed");
    }

    @Test
    void theArgumentsOfACommandAreRemovedFromErrors() {
        Throwable refused = new RedisConnectionException(
                "Unable to connect",
                new RedisCommandExecutionException(
                        "ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'weir' 'secret' "));
        assertThat(RedisFailures.reason(refused)).isEqualTo("ERR unknown command 'HELLO'");
        assertThat(RedisFailures.of(refused)).isEqualTo(StoreFailure.BROKEN);
    }

    @Test
    void redirectsAreRead() {
        assertThat(ClusterRedirect.of("MOVED 3999 127.0.0.1:6381"))
                .isEqualTo(new ClusterRedirect(false, 3999, "127.0.0.1", 6381));
        assertThat(ClusterRedirect.of("ASK 1 ::1:6381")).isEqualTo(new ClusterRedirect(true, 1, "::1", 6381));
        assertThat(ClusterRedirect.of("MOVED 1 :6381")).isEqualTo(new ClusterRedirect(false, 1, "", 6381));
        assertThat(ClusterRedirect.of("MOVED nonsense")).isNull();
        assertThat(ClusterRedirect.of("ERR no")).isNull();
    }
}
