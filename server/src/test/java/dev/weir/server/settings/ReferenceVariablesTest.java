package dev.weir.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.control.source.SourceAddress;
import dev.weir.internal.model.Rule;
import dev.weir.redis.RedisCredentials;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.server.rls.RlsSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Variables of envoyproxy/ratelimit that change what is limited, or what is told of it. */
class ReferenceVariablesTest {
    @TempDir
    Path folder;

    @Test
    void aBackendOtherThanRedisIsRefused() {
        assertRefused(Map.of("BACKEND_TYPE", "memcache", "MEMCACHE_HOST_PORT", "m:11211"))
                .hasMessage("BACKEND_TYPE: \"memcache\" (expected: redis, with REDIS_URL; or none, and counters live in"
                        + " the memory of this process)");
    }

    @Test
    void theKeyPrefixIsThatOfEveryStore() throws Exception {
        Settings settings = read(Map.of(
                "REDIS_URL", "a:1",
                "REDIS_PERSECOND", "true",
                "REDIS_PERSECOND_URL", "b:2",
                "CACHE_KEY_PREFIX", "staging/"));
        assertThat(settings.stores().values())
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.keyPrefix()).isEqualTo("staging/"));
        assertRefused(Map.of("REDIS_URL", "a:1", "CACHE_KEY_PREFIX", "{a}"))
                .hasMessage("CACHE_KEY_PREFIX: \"{a}\" (expected: up to 128 visible ASCII characters, and no braces)");
    }

    @Test
    void aLocalCacheOfNoBytesIsNone() throws Exception {
        assertThat(read(Map.of()).limiter().cacheDenials()).isTrue();
        assertThat(read(Map.of("LOCAL_CACHE_SIZE_IN_BYTES", "0")).limiter().cacheDenials())
                .isFalse();
        assertThat(read(Map.of("LOCAL_CACHE_SIZE_IN_BYTES", "1048576"))
                        .limiter()
                        .cacheDenials())
                .isTrue();
        assertThat(read(Map.of("LOCAL_CACHE_SIZE_IN_BYTES", "0", "WEIR_CACHE_DENIALS", "true"))
                        .limiter()
                        .cacheDenials())
                .isTrue();
        assertThat(read(Map.of("LOCAL_CACHE_SIZE_IN_BYTES", "0")).warnings()).isEmpty();
        assertRefused(Map.of("LOCAL_CACHE_SIZE_IN_BYTES", "1 MB"))
                .hasMessage("LOCAL_CACHE_SIZE_IN_BYTES: \"1 MB\" (expected: a number of bytes, 0 for no cache)");
    }

    @Test
    void theRedisOfLimitsPerSecondIsAStoreOfThatName() throws Exception {
        Settings settings = read(Map.of(
                "REDIS_PERSECOND", "true",
                "REDIS_PERSECOND_SOCKET_TYPE", "tcp",
                "REDIS_PERSECOND_URL", "fast,s:26379",
                "REDIS_PERSECOND_TYPE", "SENTINEL",
                "REDIS_PERSECOND_TLS", "true",
                "REDIS_PERSECOND_AUTH", "me:pw",
                "REDIS_PERSECOND_SENTINEL_AUTH", "watch"));
        RedisSettings store = Objects.requireNonNull(settings.stores().get(Rule.PER_SECOND_STORE));
        assertThat(store.address()).hasToString("rediss-sentinel://fast@s:26379");
        assertThat(store.credentials().get()).isEqualTo(new RedisCredentials("me", "pw"));
        assertThat(store.sentinelCredentials().get()).isEqualTo(new RedisCredentials("", "watch"));
        assertThat(settings.warnings()).isEmpty();

        assertRefused(Map.of("REDIS_PERSECOND", "true"))
                .hasMessage("REDIS_PERSECOND: without REDIS_PERSECOND_URL (expected: both)");
        assertRefused(Map.of("REDIS_PERSECOND", "true", "REDIS_PERSECOND_URL", "/var/run/redis.sock"))
                .hasMessageContaining("REDIS_PERSECOND_URL: Unix sockets are not supported");
        assertThat(read(Map.of("REDIS_PERSECOND", "false", "REDIS_PERSECOND_URL", "b:2"))
                        .warnings())
                .containsExactly("ignored variables of envoyproxy/ratelimit: REDIS_PERSECOND_URL");
    }

    @Test
    void theAgeOfAConnectionIsBounded() throws Exception {
        Settings.Network network = read(Map.of("GRPC_MAX_CONNECTION_AGE", "30m", "GRPC_MAX_CONNECTION_AGE_GRACE", "5s"))
                .network();
        assertThat(network.grpcAge()).isEqualTo(Duration.ofMinutes(30));
        assertThat(network.grpcAgeGrace()).isEqualTo(Duration.ofSeconds(5));
        assertThat(read(Map.of()).network().grpcAge()).isEqualTo(Duration.ofHours(24));
        assertThat(read(Map.of()).network().grpcAgeGrace()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void metricsOfTheReferenceAreServedIfAskedFor() throws Exception {
        assertThat(read(Map.of(
                                "USE_PROMETHEUS", "true",
                                "PROMETHEUS_ADDR", ":19001",
                                "PROMETHEUS_PATH", "/stats",
                                "NEAR_LIMIT_RATIO", "0.95"))
                        .referenceMetrics())
                .isEqualTo(new Settings.ReferenceMetrics(new ListenAddress("0.0.0.0", 19001), "/stats", 0.95));
        assertThat(read(Map.of("USE_PROMETHEUS", "true")).referenceMetrics())
                .isEqualTo(new Settings.ReferenceMetrics(new ListenAddress("0.0.0.0", 9090), "/metrics", 0.8));
        assertThat(read(Map.of()).referenceMetrics()).isNull();
        assertThat(read(Map.of("PROMETHEUS_ADDR", ":1")).warnings())
                .containsExactly("ignored variables of envoyproxy/ratelimit: PROMETHEUS_ADDR");
        assertRefused(Map.of("USE_PROMETHEUS", "true", "PROMETHEUS_ADDR", "19001"))
                .hasMessage("PROMETHEUS_ADDR: \"19001\" (expected: host:port or :port)");
        assertRefused(Map.of("NEAR_LIMIT_RATIO", "80"))
                .hasMessage("NEAR_LIMIT_RATIO: \"80\" (expected: a number from 0 to 1)");
    }

    @Test
    void headersForTheUpstreamHaveNamesOfTheirOwn() throws Exception {
        RlsSettings rls = read(Map.of(
                        "LIMIT_REQUEST_HEADERS_ENABLED", "true",
                        "LIMIT_REQUEST_LIMIT_HEADER", "X-Up-Limit",
                        "LIMIT_REQUEST_REMAINING_HEADER", "X-Up-Left",
                        "LIMIT_REQUEST_RESET_HEADER", "X-Up-Reset"))
                .rls();
        assertThat(rls.requestHeaders()).isEqualTo(new RlsSettings.Headers("X-Up-Limit", "X-Up-Left", "X-Up-Reset"));
        assertThat(rls.responseHeaders()).isNull();
    }

    @Test
    void aUnixSocketForGrpcIsRefused() {
        assertRefused(Map.of("GRPC_UDS", "/tmp/ratelimit.sock"))
                .hasMessage("GRPC_UDS: \"/tmp/ratelimit.sock\": Unix sockets are not supported (expected: GRPC_HOST and"
                        + " GRPC_PORT)");
    }

    @Test
    void healthMayDependOnRules() throws Exception {
        assertThat(read(Map.of()).healthyWithoutRules()).isTrue();
        assertThat(read(Map.of("HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED", "true"))
                        .healthyWithoutRules())
                .isFalse();
        assertThat(read(Map.of("HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED", "false"))
                        .healthyWithoutRules())
                .isTrue();
    }

    /** The variables that Envoy Gateway sets in its deployment of the rate limit service. */
    @Test
    void envoyGatewaysEnvironmentIsUnderstood() throws Exception {
        Map<String, String> variables = new HashMap<>(Map.of(
                "REDIS_SOCKET_TYPE", "tcp",
                "REDIS_URL", "redis.redis-system:6379",
                "RUNTIME_ROOT", "/data",
                "RUNTIME_SUBDIRECTORY", "ratelimit",
                "RUNTIME_IGNOREDOTFILES", "true",
                "RUNTIME_WATCH_ROOT", "false",
                "LOG_LEVEL", "info",
                "USE_STATSD", "false",
                "CONFIG_TYPE", "GRPC_XDS_SOTW",
                "CONFIG_GRPC_XDS_SERVER_URL", "envoy-gateway:18001"));
        variables.putAll(Map.of(
                "CONFIG_GRPC_XDS_NODE_ID", "envoy-ratelimit",
                "CONFIG_GRPC_XDS_SERVER_USE_TLS", "true",
                "CONFIG_GRPC_XDS_CLIENT_TLS_CERT", "/certs/tls.crt",
                "CONFIG_GRPC_XDS_CLIENT_TLS_KEY", "/certs/tls.key",
                "CONFIG_GRPC_XDS_SERVER_TLS_CACERT", "/certs/ca.crt",
                "GRPC_SERVER_USE_TLS", "true",
                "GRPC_SERVER_TLS_CA_CERT", "/certs/ca.crt",
                "GRPC_SERVER_TLS_CERT", "/certs/tls.crt",
                "GRPC_SERVER_TLS_KEY", "/certs/tls.key",
                "FORCE_START_WITHOUT_INITIAL_CONFIG", "true"));
        variables.putAll(Map.of("USE_PROMETHEUS", "true", "PROMETHEUS_ADDR", ":19001"));
        Settings settings = read(variables);

        assertThat(settings.rules()).isEmpty();
        assertThat(settings.sources().addresses()).containsExactly(SourceAddress.parse("xdss://envoy-gateway:18001"));
        assertThat(settings.sources().required()).isFalse();
        assertThat(settings.sources().node().id()).isEqualTo("envoy-ratelimit");
        assertThat(settings.sources().tls().authorities()).isEqualTo(Path.of("/certs/ca.crt"));
        assertThat(settings.sources().tls().certificate()).isEqualTo(Path.of("/certs/tls.crt"));
        assertThat(Objects.requireNonNull(settings.tls().grpc()).key()).isEqualTo(Path.of("/certs/tls.key"));
        assertThat(Objects.requireNonNull(settings.referenceMetrics()).address().port())
                .isEqualTo(19001);
        assertThat(settings.warnings())
                .containsExactly(
                        "ignored variables of envoyproxy/ratelimit: GRPC_SERVER_TLS_CA_CERT, RUNTIME_IGNOREDOTFILES,"
                                + " RUNTIME_WATCH_ROOT, USE_STATSD");
    }

    private Settings read(Map<String, String> environment) throws SettingsException {
        return SettingsReader.read(Map.of(), environment, folder);
    }

    private AbstractThrowableAssert<?, ?> assertRefused(Map<String, String> environment) {
        return assertThatThrownBy(() -> read(environment)).isInstanceOf(SettingsException.class);
    }
}
