package dev.weir.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.redis.RedisCredentials;
import dev.weir.redis.internal.settings.RedisSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreSettingsTest {
    private static final String SECRET = "s3cret:with@signs";

    @TempDir
    Path folder;

    @Test
    void withoutAWordCountersLiveInMemory() throws Exception {
        assertThat(read(Map.of(), Map.of()).stores()).isEmpty();
        assertThat(read(Map.of("store", "memory"), Map.of("REDIS_URL", "redis:6379"))
                        .stores())
                .isEmpty();
        assertThat(read(Map.of(), Map.of()).limiter().deadlineMicros()).isEqualTo(10_000);
    }

    @Test
    void aStoreHasWhatHoldsForAllOfThem() throws Exception {
        weirYaml("""
                store: redis://localhost:6390/2
                deadline: 25ms
                redis_connections: 3
                redis_max_waiting: 99
                store_tls_ca: ca.pem
                stores:
                  big: rediss://h2
                """);
        Settings settings = read(Map.of(), Map.of());
        assertThat(settings.limiter().deadlineMicros()).isEqualTo(25_000);
        assertThat(settings.stores()).containsOnlyKeys("default", "big");
        assertThat(settings.stores().values()).allSatisfy(each -> {
            assertThat(each.deadline()).isEqualTo(Duration.ofMillis(25));
            assertThat(each.connections()).isEqualTo(3);
            assertThat(each.maxWaiting()).isEqualTo(99);
            assertThat(each.tls().trust()).isEqualTo(folder.resolve("ca.pem").toAbsolutePath());
        });
        assertThat(store(settings, "default").address()).hasToString("redis://localhost:6390/2");
        assertThat(store(settings, "big").address()).hasToString("rediss://h2:6379");
    }

    @Test
    void aPasswordComesFromTheFileTheEnvironmentTheAddressOrAFileOfItsOwn() throws Exception {
        Files.writeString(folder.resolve("password"), SECRET + "\n");
        weirYaml("""
                store: redis://me:fromurl@localhost
                stores:
                  a: { url: "redis://h", user: u, password: "p w" }
                  b: { url: "redis-sentinel://m@h", password_file: password }
                """);
        Settings settings = read(Map.of(), Map.of());
        assertThat(credentials(settings, "default")).isEqualTo(new RedisCredentials("me", "fromurl"));
        assertThat(credentials(settings, "a")).isEqualTo(new RedisCredentials("u", "p w"));
        assertThat(credentials(settings, "b")).isEqualTo(new RedisCredentials("", SECRET));
        Files.writeString(folder.resolve("password"), "changed");
        assertThat(credentials(settings, "b").password()).isEqualTo("changed");

        Settings told = read(Map.of(), Map.of("WEIR_STORE_PASSWORD", SECRET, "WEIR_STORE_USER", "other"));
        assertThat(credentials(told, "default")).isEqualTo(new RedisCredentials("other", SECRET));
        Files.delete(folder.resolve("password"));
        assertThat(credentials(settings, "b").password()).isEqualTo("changed");
        assertThat(told.toString()).doesNotContain(SECRET).doesNotContain("fromurl");
    }

    @Test
    void aPasswordIsNeverTakenFromTheCommandLine() throws Exception {
        Settings settings = read(Map.of("store", "redis://h", "store_password", SECRET), Map.of());
        assertThat(credentials(settings, "default").password()).isEmpty();
    }

    @ParameterizedTest(name = "{0} {1} {2} -> {3}")
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "redis:6379               | -        | -     | redis://redis:6379",
                "redis:6379               | SINGLE   | true  | rediss://redis:6379",
                "h1:1,h2:2                | CLUSTER  | false | redis-cluster://h1:1,h2:2",
                "h1:1,h2:2                | cluster  | 1     | rediss-cluster://h1:1,h2:2",
                "mymaster,h1:1,h2:2       | SENTINEL | -     | redis-sentinel://mymaster@h1:1,h2:2",
                "redis://user:pw@redis:63 | -        | true  | rediss://redis:63",
            })
    void theReferencesRedisIsUnderstood(String url, String type, String tls, String store) throws Exception {
        Map<String, String> variables =
                new HashMap<>(Map.of("REDIS_URL", url, "REDIS_SOCKET_TYPE", "tcp", "BACKEND_TYPE", "redis"));
        if (type != null) {
            variables.put("REDIS_TYPE", type);
        }
        if (tls != null) {
            variables.put("REDIS_TLS", tls);
        }
        Settings settings = read(Map.of(), variables);
        assertThat(store(settings, "default").address()).hasToString(store);
        assertThat(settings.warnings()).isEmpty();
    }

    @Test
    void theReferencesPasswordMayHaveAUserBeforeIt() throws Exception {
        Map<String, String> url = Map.of("REDIS_URL", "redis:6379");
        assertThat(credentials(read(Map.of(), with(url, "REDIS_AUTH", "pw")), "default"))
                .isEqualTo(new RedisCredentials("", "pw"));
        assertThat(credentials(read(Map.of(), with(url, "REDIS_AUTH", "me:p:w")), "default"))
                .isEqualTo(new RedisCredentials("me", "p:w"));
    }

    @Test
    void sentinelsHaveAPasswordOfTheirOwn() throws Exception {
        Map<String, String> url = Map.of("REDIS_URL", "weir,h:26379", "REDIS_TYPE", "sentinel", "REDIS_AUTH", "a");
        Settings settings = read(Map.of(), with(url, "REDIS_SENTINEL_AUTH", "me:b"));
        assertThat(store(settings, "default").sentinelCredentials().get()).isEqualTo(new RedisCredentials("me", "b"));
        assertThat(credentials(settings, "default")).isEqualTo(new RedisCredentials("", "a"));
        assertThat(store(read(Map.of(), url), "default").sentinelCredentials().get())
                .isEqualTo(RedisCredentials.NONE);

        Map<String, String> alone = Map.of("REDIS_URL", "h:6379");
        assertThat(read(Map.of(), with(alone, "REDIS_SENTINEL_AUTH", "b")).warnings())
                .containsExactly("ignored variables of envoyproxy/ratelimit: REDIS_SENTINEL_AUTH");
        assertRefused(Map.of("store", "redis://h"), Map.of("WEIR_STORE_SENTINEL_PASSWORD", SECRET))
                .hasMessage(
                        "WEIR_STORE_SENTINEL_PASSWORD: the store has no sentinels (expected:" + " redis-sentinel://…)");
    }

    @Test
    void whatCannotBeIsSaidAndNoPasswordWithIt() throws Exception {
        assertRefused(Map.of("store", "postgres://me:" + SECRET + "@h"), Map.of())
                .hasMessageContaining("--store: ")
                .hasMessageContaining("redis-cluster://h1:p1,h2:p2");
        assertRefused(Map.of("store", "me:" + SECRET + "@h"), Map.of())
                .hasMessage("--store: (expected: memory, redis://host:port, redis-cluster://h1:p1,h2:p2 or"
                        + " redis-sentinel://name@h1:p1,h2:p2; rediss… for TLS)");
        assertRefused(Map.of("store", "redis"), Map.of())
                .hasMessageStartingWith("--store: \"redis\" (expected: memory,");
        for (String each : List.of("WEIR_STORE", "REDIS_URL")) {
            assertRefused(Map.of(), Map.of(each, "tcp://127.0.0.1:6379"))
                    .hasMessageStartingWith(each + ": \"tcp://127.0.0.1:6379\" (expected: redis://host:port,");
        }
        assertRefused(Map.of("deadline", "0s"), Map.of())
                .hasMessage("--deadline: \"0s\" (expected: a duration from 1ms to 10s)");
        assertRefused(Map.of(), Map.of("WEIR_STORE_PASSWORD", SECRET))
                .hasMessage("WEIR_STORE_PASSWORD: the address of the store is missing (expected: store, too)");
        assertRefused(
                        Map.of("store", "redis://h", "store_password_file", "/no/such"),
                        Map.of("WEIR_STORE_PASSWORD", SECRET))
                .hasMessage("--store-password-file: conflicts with WEIR_STORE_PASSWORD (expected: one of them)");
        assertRefused(Map.of("store", "redis://h", "store_password_file", "/no/such"), Map.of())
                .hasMessage("--store-password-file: \"/no/such\" cannot be read: it does not exist");
        assertRefused(Map.of("store", "rediss://h", "store_tls_cert", "c.pem"), Map.of())
                .hasMessage("--store-tls-cert: without store_tls_key (expected: both)");
    }

    @Test
    void whatTheReferenceCouldAndWeirCannotIsRefused() {
        assertRefused(Map.of(), Map.of("REDIS_URL", "/var/run/redis.sock"))
                .hasMessage(
                        "REDIS_URL: Unix sockets are not supported (expected: host:port, and REDIS_SOCKET_TYPE tcp)");
        assertRefused(Map.of(), Map.of("REDIS_SOCKET_TYPE", "unix"))
                .hasMessage(
                        "REDIS_URL: Unix sockets are not supported (expected: host:port, and REDIS_SOCKET_TYPE tcp)");
        assertRefused(Map.of(), Map.of("REDIS_URL", "h:1", "REDIS_TYPE", "RING"))
                .hasMessage("REDIS_TYPE: \"RING\" (expected: SINGLE, SENTINEL or CLUSTER)");
        assertRefused(Map.of(), Map.of("REDIS_URL", "h:1", "REDIS_TYPE", "SENTINEL"))
                .hasMessage("REDIS_URL: \"h:1\" (expected, with REDIS_TYPE SENTINEL: name,host:port,…)");
        assertRefused(Map.of(), Map.of("REDIS_URL", "h:1", "REDIS_TLS", "maybe"))
                .hasMessage("REDIS_TLS: \"maybe\" (expected: true or false)");
    }

    @Test
    void whatIsWrongInTheFileIsNamedByItsPlace() throws Exception {
        weirYaml("""
                store: redis://h
                stores:
                  default: redis://h2
                  "b c": redis://h
                  mem: memory
                  d: { url: "redis://h", pasword: x }
                  e: { user: x }
                  f: [1]
                """);
        Path file = folder.resolve("weir.yaml");
        assertRefused(Map.of(), Map.of())
                .hasMessageContaining(file + ":3:12: stores.default: set twice")
                .hasMessageContaining(file + ":4:3: stores: \"b c\" (expected: up to 40 letters, digits, - and _)")
                .hasMessageContaining(file + ":5:8: stores.mem: \"memory\" (expected: redis://host:port,")
                .hasMessageContaining(file + ":6:26: stores.d.pasword: unknown setting (did you mean password?)")
                .hasMessageContaining(
                        file + ":7:14: stores.e.user: the address of the store is missing (expected: url, too)")
                .hasMessageContaining(
                        file + ":8:6: stores.f: expected an address, or url, user, password and password_file");
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
            Map<String, String> flags, Map<String, String> environment) {
        return assertThatThrownBy(() -> read(flags, environment))
                .isInstanceOf(SettingsException.class)
                .hasMessageNotContaining(SECRET);
    }

    private static Map<String, String> with(Map<String, String> variables, String name, String value) {
        Map<String, String> more = new HashMap<>(variables);
        more.put(name, value);
        return more;
    }

    private static RedisSettings store(Settings settings, String name) {
        return Objects.requireNonNull(settings.stores().get(name), name);
    }

    private static RedisCredentials credentials(Settings settings, String name) {
        return store(settings, name).credentials().get();
    }

    private Settings read(Map<String, String> flags, Map<String, String> environment) throws SettingsException {
        return SettingsReader.read(flags, environment, folder);
    }

    private void weirYaml(String text) throws IOException {
        Files.writeString(folder.resolve("weir.yaml"), text);
    }
}
