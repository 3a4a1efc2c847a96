package dev.weir.server.settings;

import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.tier.LocalTier;
import dev.weir.redis.TlsSettings;
import dev.weir.redis.internal.script.RedisKeyPrefix;
import dev.weir.redis.internal.settings.RedisSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** The settings of the stores of counters. */
final class StoreSettings {
    private static final long BYTES_PER_KEY = 96;
    private static final long LEAST_KEYS = 10_000;
    private static final long MOST_KEYS = 10_000_000;
    private static final long TIER_SHARE = 16;
    private static final long LEAST_COUNTERS = 1_024;

    /** Read by {@link StoresReader}, because a message about it must not repeat a password. */
    static final Setting<String> STORE = Setting.of(
            "store",
            "STORE",
            "Where counters live: memory, redis://host:port[/database], redis-cluster://h1:p1,h2:p2 or"
                    + " redis-sentinel://name@h1:p1,h2:p2; rediss… for TLS.",
            "memory",
            "a store",
            text -> text);

    static final Setting<String> STORE_USER =
            Setting.of("store_user", "NAME", "Username for the store.", "", "a name", text -> text);
    static final Setting<String> STORE_PASSWORD =
            Setting.secret("store_password", "Password for the store; in weir.yaml or the environment only.");
    static final Setting<Path> STORE_PASSWORD_FILE =
            Setting.file("store_password_file", "File with the password for the store; read at every connection.");
    static final Setting<String> STORE_SENTINEL_USER = Setting.of(
            "store_sentinel_user", "NAME", "Username for the store's sentinels.", "", "a name", text -> text);
    static final Setting<String> STORE_SENTINEL_PASSWORD = Setting.secret(
            "store_sentinel_password", "Password for the store's sentinels; in weir.yaml or the environment only.");
    static final Setting<Path> STORE_SENTINEL_PASSWORD_FILE = Setting.file(
            "store_sentinel_password_file",
            "File with the password for the store's sentinels; read at every connection.");
    static final Setting<Path> STORE_TLS_CA = Setting.file(
                    "store_tls_ca", "CA bundle (PEM) for stores; without it, the JVM's.")
            .as("REDIS_TLS_CACERT");
    static final Setting<Path> STORE_TLS_CERT = Setting.file("store_tls_cert", "Client certificate (PEM) for stores.")
            .as("REDIS_TLS_CLIENT_CERT");
    static final Setting<Path> STORE_TLS_KEY = Setting.file("store_tls_key", "Private key (PEM) of that certificate.")
            .as("REDIS_TLS_CLIENT_KEY");
    static final Setting<Boolean> STORE_TLS_VERIFY_HOST = Setting.bool(
                    "store_tls_verify_host", "Check that a store's certificate is issued for its host.", "true")
            .asOpposite("REDIS_TLS_SKIP_HOSTNAME_VERIFICATION");
    static final Setting<String> KEY_PREFIX = Setting.of(
                    "key_prefix",
                    "TEXT",
                    "Text before every key in Redis, so that several environments can use one Redis.",
                    "",
                    RedisKeyPrefix.EXPECTED,
                    text -> RedisKeyPrefix.isValid(text) ? text : null)
            .as("CACHE_KEY_PREFIX");
    static final Setting<Duration> DEADLINE = Setting.of(
            "deadline",
            "DURATION",
            "Maximum wait of a decision for a store; then the rule's on_fail decides.",
            "10ms",
            "a duration from 1ms to 10s",
            SettingParsers.duration(Duration.ofMillis(1), Duration.ofSeconds(10)));
    static final Setting<Integer> REDIS_CONNECTIONS = Setting.integer(
            "redis_connections", "Connections to each Redis node; one connection batches best.", "1", 1, 64);
    static final Setting<Integer> REDIS_MAX_WAITING = Setting.integer(
            "redis_max_waiting",
            "Decisions that may wait for one Redis connection; for further ones on_fail decides at once.",
            "16384",
            1,
            1_000_000);
    static final Setting<Long> MAX_KEYS = Setting.of(
            "max_keys",
            "N",
            "Counters kept in memory before the least used are evicted; without it, as many as fit in half of"
                    + " the heap, at most"
                    + " 10 million.",
            "",
            "a number from 1024 to 1000000000",
            SettingParsers.number(1024, 1_000_000_000));
    static final Setting<Integer> TIER_COUNTERS = Setting.integer(
            "tier_counters",
            "Shared counters with local state (cached denials, leases, unreported hits); without it, as many as"
                    + " fit in a sixteenth"
                    + " of the heap, at most 65536.",
            "",
            64,
            1 << 24);

    static final List<Setting<?>> ALL = List.of(
            STORE,
            STORE_USER,
            STORE_PASSWORD,
            STORE_PASSWORD_FILE,
            STORE_SENTINEL_USER,
            STORE_SENTINEL_PASSWORD,
            STORE_SENTINEL_PASSWORD_FILE,
            STORE_TLS_CA,
            STORE_TLS_CERT,
            STORE_TLS_KEY,
            STORE_TLS_VERIFY_HOST,
            KEY_PREFIX,
            DEADLINE,
            REDIS_CONNECTIONS,
            REDIS_MAX_WAITING,
            MAX_KEYS,
            TIER_COUNTERS);

    private StoreSettings() {}

    /** Applies the settings that all Redis stores share. */
    static UnaryOperator<RedisSettings> common(SettingsReader reader, Duration deadline) {
        int connections = reader.value(REDIS_CONNECTIONS);
        int waiting = reader.value(REDIS_MAX_WAITING);
        TlsSettings tls = tls(reader);
        String prefix = reader.value(KEY_PREFIX);
        return store -> store.withDeadline(deadline)
                .withConnections(connections)
                .withMaxWaiting(waiting)
                .withTls(tls)
                .withKeyPrefix(prefix);
    }

    private static TlsSettings tls(SettingsReader reader) {
        Path certificate = reader.orNull(STORE_TLS_CERT);
        Path key = reader.orNull(STORE_TLS_KEY);
        reader.needs(STORE_TLS_CERT, STORE_TLS_KEY);
        reader.needs(STORE_TLS_KEY, STORE_TLS_CERT);
        boolean both = certificate != null && key != null;
        return new TlsSettings(
                reader.orNull(STORE_TLS_CA),
                both ? certificate : null,
                both ? key : null,
                reader.value(STORE_TLS_VERIFY_HOST));
    }

    /**
     * The counters that fit in half of the heap. A counter takes at most 48 bytes, and as much again if it is a log: a
     * flood of keys must not fill the heap.
     */
    static long keysThatFit(long heap) {
        return Math.max(LEAST_KEYS, Math.min(MOST_KEYS, heap / 2 / BYTES_PER_KEY));
    }

    static int countersThatFit(long heap) {
        long fit = heap / TIER_SHARE / LocalTier.MOST_BYTES;
        return (int) Math.max(LEAST_COUNTERS, Math.min(LimiterSettings.DEFAULT_TIER_COUNTERS, fit));
    }
}
