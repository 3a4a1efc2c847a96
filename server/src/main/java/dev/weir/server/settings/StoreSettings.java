package dev.weir.server.settings;

import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.runtime.HeapShare;
import dev.weir.internal.tier.LocalTier;
import dev.weir.redis.TlsSettings;
import dev.weir.redis.internal.script.RedisKeyPrefix;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.text.message.Suggestion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The settings of the stores of counters. */
final class StoreSettings {
    private static final long LEAST_KEYS = 10_000;
    private static final long MOST_KEYS = 10_000_000;
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
            "Counters kept in memory before the least used are evicted; without it, as many as fit in a quarter of"
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
    static final Setting<Boolean> CACHE_DENIALS = Setting.bool(
            "cache_denials",
            "Repeat a store's denial without asking it again, for up to a second at a time; false asks it about"
                    + " every request, so that Redis counts every denied one.",
            "true");

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
            TIER_COUNTERS,
            CACHE_DENIALS);

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
     * The counters that fit in their share of the heap: a flood of keys must not fill it.
     */
    static long keysThatFit(long heap) {
        return Math.max(LEAST_KEYS, Math.min(MOST_KEYS, HeapShare.COUNTERS.of(heap) / HeapShare.COUNTER_BYTES));
    }

    static int countersThatFit(long heap) {
        long fit = HeapShare.TIER.of(heap) / LocalTier.MOST_BYTES;
        return (int) Math.max(LEAST_COUNTERS, Math.min(LimiterSettings.DEFAULT_TIER_COUNTERS, fit));
    }

    /** The settings of the regions that share limits. */
    static final class RegionSettings {
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,40}");
        private static final String EXPECTED = "up to 40 letters, digits, - and _";

        static final Setting<String> REGION = Setting.of(
                "region", "NAME", "Region of this server, one of regions.", "", EXPECTED, RegionSettings::name);
        static final Setting<String> HOME = Setting.of(
                "home",
                "NAME",
                "Region whose store counts rules with scope: global; the same on all servers.",
                "",
                EXPECTED,
                RegionSettings::name);

        /** How long a batch to another region may take before it counts as slow. */
        static final Duration FAR_DEADLINE = Duration.ofMillis(500);

        static final Setting<Integer> HOME_EPOCH = Setting.integer(
                "home_epoch",
                "Number of that choice; raise it with every new home, and servers of older ones stop.",
                "1",
                1,
                1_000_000_000);
        static final Setting<Boolean> HOME_AT_ONCE = Setting.bool(
                "home_at_once",
                "Count at a new home at once, not from the next window on; up to twice a limit may pass meanwhile.",
                "false");

        static final Setting<Boolean> SHARE_COUNTS = Setting.bool(
                "share_counts",
                "Read the counts of all other regions, for rules with scope: shared; the same on all servers.",
                "false");

        static final List<Setting<?>> ALL = List.of(REGION, HOME, HOME_EPOCH, HOME_AT_ONCE, SHARE_COUNTS);

        private RegionSettings() {}

        private static @Nullable String name(String text) {
            return NAME.matcher(text).matches() ? text : null;
        }

        static boolean isName(String text) {
            return NAME.matcher(text).matches();
        }

        /**
         * Reads the regions, and reports what does not fit together.
         *
         * @param given all values, among them the entries of {@code regions}
         */
        static Settings.Regions read(SettingsReader reader, Map<String, GivenValue> given, List<String> problems) {
            String own = reader.orNull(REGION);
            String home = reader.orNull(HOME);
            Set<String> names = StoreEntries.regions(given);
            reader.needs(HOME_EPOCH, HOME);
            reader.needs(HOME_AT_ONCE, HOME);
            boolean shares = reader.value(SHARE_COUNTS);
            if (names.isEmpty()) {
                if (shares) {
                    reader.problem(SHARE_COUNTS, "without regions (expected: regions in weir.yaml, too)");
                }
                requireRegions(reader, own, REGION);
                requireRegions(reader, home, HOME);
                return Settings.Regions.NONE;
            }
            if (own == null) {
                reader.problem(REGION, "missing beside regions (expected: one of " + String.join(", ", names) + ")");
                return Settings.Regions.NONE;
            }
            requireKnown(reader, own, names, REGION);
            requireKnown(reader, home, names, HOME);
            checkStores(given, own, problems);
            if (home != null && names.contains(home) && !isShared(given, home, own)) {
                reader.problem(HOME, home + " has no shared store (expected: a Redis as the store of that region)");
            }
            for (String each : shares ? names : Set.<String>of()) {
                if (!isShared(given, each, own)) {
                    String expected = " has no shared store (expected: a Redis as the store of each region)";
                    reader.problem(SHARE_COUNTS, "region " + each + expected);
                }
            }
            return new Settings.Regions(own, names, home, reader.value(HOME_EPOCH), reader.value(HOME_AT_ONCE), shares);
        }

        private static void requireRegions(SettingsReader reader, @Nullable String name, Setting<?> setting) {
            if (name != null) {
                String expected = " (expected: regions in weir.yaml, too: { " + name + ": { store: redis://… }, … })";
                reader.problem(setting, name + " without regions" + expected);
            }
        }

        private static void requireKnown(
                SettingsReader reader, @Nullable String name, Set<String> names, Setting<?> setting) {
            if (name != null && !names.contains(name)) {
                reader.problem(setting, name + " is not one of regions (" + Suggestion.among(name, names) + ")");
            }
        }

        /** Whether a server in {@code own} reaches a Redis of {@code region}. */
        private static boolean isShared(Map<String, GivenValue> given, String region, String own) {
            GivenValue url = given.get(StoreEntries.URL.key(StoreEntries.ofRegion(region)));
            GivenValue byDefault = given.get(STORE.name());
            GivenValue used = url == null && region.equals(own) ? byDefault : url;
            return used != null && !used.text().equals(StoresReader.MEMORY);
        }

        /** Reports a store that is given twice, or that two regions share: then they would count for each other. */
        private static void checkStores(Map<String, GivenValue> given, String own, List<String> problems) {
            Map<String, String> users = new TreeMap<>();
            for (String each : StoreEntries.regions(given)) {
                GivenValue url = given.get(StoreEntries.URL.key(StoreEntries.ofRegion(each)));
                String first = url == null ? null : users.putIfAbsent(url.text(), each);
                if (url != null && first != null) {
                    problems.add(url.where() + ": the store of region " + first
                            + " (expected: one for each region, or they count for each other)");
                }
            }
            GivenValue byDefault = given.get(STORE.name());
            GivenValue ofRegion = given.get(StoreEntries.URL.key(StoreEntries.ofRegion(own)));
            if (byDefault != null && ofRegion != null) {
                problems.add(byDefault.where() + ": conflicts with " + ofRegion.where() + ", the store of this region"
                        + " (expected: one of them)");
            }
        }
    }
}
