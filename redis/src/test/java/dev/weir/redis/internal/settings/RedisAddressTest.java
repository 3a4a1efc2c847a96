package dev.weir.redis.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.redis.RedisCredentials;
import dev.weir.redis.internal.settings.RedisAddress.HostPort;
import dev.weir.redis.internal.settings.RedisAddress.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {
    @Test
    void oneServer() {
        RedisAddress address = RedisAddress.parse("rediss://me:s%40crt@[::1]:7000/3");
        assertThat(address.kind()).isEqualTo(Kind.STANDALONE);
        assertThat(address.tls()).isTrue();
        assertThat(address.hosts()).containsExactly(new HostPort("::1", 7000));
        assertThat(address.database()).isEqualTo(3);
        assertThat(address.credentials()).isEqualTo(new RedisCredentials("me", "s@crt"));
        assertThat(address).hasToString("rediss://[::1]:7000/3");
    }

    @Test
    void aPasswordAloneIsOfTheDefaultUser() {
        assertThat(RedisAddress.parse("redis://secret@h").credentials()).isEqualTo(new RedisCredentials("", "secret"));
        assertThat(RedisAddress.parse("redis://h").credentials()).isEqualTo(RedisCredentials.NONE);
        assertThat(RedisAddress.parse("redis://h").hosts()).containsExactly(new HostPort("h", 6379));
    }

    @Test
    void aClusterIsSeveralServers() {
        RedisAddress address = RedisAddress.parse("redis-cluster://u:p@a:1,b:2");
        assertThat(address.kind()).isEqualTo(Kind.CLUSTER);
        assertThat(address.hosts()).containsExactly(new HostPort("a", 1), new HostPort("b", 2));
        assertThat(address.credentials().password()).isEqualTo("p");
    }

    @Test
    void sentinelsKnowTheMasterByName() {
        RedisAddress address = RedisAddress.parse("redis-sentinel://u:p@main@a:1,b");
        assertThat(address.kind()).isEqualTo(Kind.SENTINEL);
        assertThat(address.sentinelName()).isEqualTo("main");
        assertThat(address.hosts()).containsExactly(new HostPort("a", 1), new HostPort("b", 26379));
        assertThat(address.credentials().user()).isEqualTo("u");
        assertThat(address).hasToString("redis-sentinel://main@a:1,b:26379");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:/x",
                "localhost:6379",
                "http://h:1",
                "redis://",
                "redis://h:0",
                "redis://h:65536",
                "redis://h:port",
                "redis://a:1,b:2",
                "redis://h/x",
                "redis-cluster://a:1/2",
                "redis-sentinel://a:1"
            })
    void whatIsNoneOfThemIsSaidWithWhatIsExpected(String uri) {
        assertThatThrownBy(() -> RedisAddress.parse(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("store: \"" + uri + "\" (expected: ");
    }

    @Test
    void aPasswordIsNeverRepeated() {
        assertThatThrownBy(() -> RedisAddress.parse("redis://me:hush@h:0"))
                .hasMessageStartingWith("store: \"redis://…@h:0\" (expected: ")
                .hasMessageNotContaining("hush");
        assertThatThrownBy(() -> RedisAddress.parse("redis-sentinel://me:hush@h:1"))
                .hasMessageStartingWith("store: \"redis-sentinel://…@h:1\" (expected: ")
                .hasMessageNotContaining("hush");
        assertThatThrownBy(() -> RedisAddress.parse("redis-sentinel://me%3Ahush@h:1"))
                .hasMessageNotContaining("hush");
        assertThat(new RedisCredentials("me", "hush").toString()).doesNotContain("hush");
    }
}
