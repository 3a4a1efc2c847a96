package dev.weir.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.internal.ruleset.UnknownRules;
import dev.weir.remote.internal.ServerAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteWeirOptionsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "grpc://weir | grpc://weir:8081",
                "grpc://weir:9000/ | grpc://weir:9000",
                "grpcs://[::1]:9000 | grpcs://[::1]:9000",
                "grpc://a:1,b:2, c | grpc://a:1,b:2,c:8081"
            })
    void addressesAreRead(String given, String read) {
        assertThat(ServerAddress.of(given)).hasToString(read);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "weir:8081",
                "http://weir:8081",
                "grpc://",
                "grpc://weir:0",
                "grpc://weir:70000",
                "grpc://user@weir",
                "grpc://weir/api",
                "grpc://a,,b"
            })
    void otherAddressesAreRefused(String given) {
        assertThatThrownBy(() -> RemoteWeir.at(given))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("uri: " + given
                        + " (expected: grpc://host:port, grpc://host1:port,host2:port, or grpcs:// for TLS)");
    }

    @Test
    void optionsAreChecked() {
        RemoteWeir at = RemoteWeir.at("grpc://weir");
        assertThatThrownBy(() -> at.deadline(Duration.ZERO)).hasMessage("deadline: 0s (expected: 1ms to 1h)");
        assertThatThrownBy(() -> at.connections(17)).hasMessage("connections: 17 (expected: 1 to 16)");
        assertThatThrownBy(() -> at.onFail(OnFail.LOCAL)).hasMessageContaining("fallbackRules(rules)");
        assertThatThrownBy(() -> at.trust(Path.of("ca.pem")))
                .hasMessage("trust: not for grpc://weir:8081 (expected: a grpcs:// address)");
        assertThatThrownBy(() -> RemoteWeir.at("grpcs://weir")
                        .trust(Path.of("no-such.pem"))
                        .open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no-such.pem");
    }

    @Test
    void opensAndCloses() {
        Weir weir = RemoteWeir.at("grpc://127.0.0.1:1").warmUp(Duration.ZERO).open();
        assertThat(weir.rules()).isSameAs(UnknownRules.INSTANCE);
        assertThat(weir.decide(Request.to("api").with("a", "1")).degraded()).isTrue();
        weir.close();
        weir.close();
        assertThat(weir.serves()).isFalse();
        assertThatThrownBy(() -> weir.decide(Request.to("api").with("a", "1")))
                .isInstanceOf(IllegalStateException.class);
    }
}
