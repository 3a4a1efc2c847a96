package dev.weir.server.settings;

import dev.weir.control.ControlSettings;
import dev.weir.control.database.PostgresUrl;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.server.rls.RlsSettings;
import dev.weir.text.fields.Durations;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Builds the settings from the {@linkplain GivenValuesReader given values}, and reports everything that is wrong with
 * them.
 */
public final class SettingsReader {
    /** 128 bits in hexadecimal digits. */
    public static final int MIN_TOKEN_LENGTH = 32;

    /** The value of {@code --demo} that also wants a Redis to fail from time to time. */
    public static final String FLAPPING = "flapping";

    /** The settings that a demo may have: none of them decides about anybody's requests. */
    private static final Set<String> WITH_DEMO = Set.of(
            "host",
            "http_host",
            "http_port",
            "grpc_host",
            "grpc_port",
            "admin_host",
            "admin_port",
            "admin_token",
            "admin_token_file",
            "event_loops",
            "log_format",
            "log_level",
            "warm_up",
            "drain_delay",
            "drain_timeout");

    /** A Redis that is nobody's but for this machine. */
    private static final Pattern LOCAL_REDIS = Pattern.compile("redis://(localhost|127\\.0\\.0\\.1)(:\\d+)?");

    private final Map<String, GivenValue> given;
    private final @Nullable String demo;
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    private SettingsReader(Map<String, String> flags, Map<String, String> environment, Path workingDirectory) {
        given = new GivenValuesReader(problems, warnings).read(flags, environment, workingDirectory);
        demo = flags.get("demo");
    }

    /**
     * Reads all settings.
     *
     * @param flags values of flags by the name of their setting, {@code config}, and {@code demo}
     * @throws SettingsException naming all mistakes, not only the first
     */
    public static Settings read(Map<String, String> flags, Map<String, String> environment, Path workingDirectory)
            throws SettingsException {
        SettingsReader reader = new SettingsReader(flags, environment, workingDirectory);
        Settings settings = reader.settings();
        reader.requireNoProblems();
        return settings;
    }

    /**
     * The options by which a server with the settings of {@code file} loads rules. No other setting is checked: a
     * machine that only checks rules need not have the passwords and certificates of a server.
     *
     * @throws SettingsException if the file cannot be read
     */
    public static LoadOptions ruleOptions(Path file) throws SettingsException {
        SettingsReader reader = new SettingsReader(Map.of("config", file.toString()), Map.of(), Path.of(""));
        LoadOptions options = new LoadOptions(
                reader.value(SettingsCatalogue.MERGE_DOMAINS),
                new StoresReader(reader.given, reader.problems).names(),
                reader.value(SettingsCatalogue.CALENDAR_MONTHS),
                reader.value(SettingsCatalogue.ENDPOINT_FORM),
                StoreSettings.RegionSettings.read(reader, reader.given, reader.problems)
                        .forRules());
        reader.requireNoProblems();
        return options;
    }

    /**
     * The key of the hash of identities in recorded traffic: that of {@code file}, else that of the environment; null if
     * there is none.
     *
     * @throws SettingsException if the file cannot be read
     */
    public static @Nullable String decisionSecret(@Nullable Path file, Map<String, String> environment)
            throws SettingsException {
        String variable = environment.get("WEIR_DECISIONS_SECRET");
        if (file == null) {
            return variable;
        }
        SettingsReader reader = new SettingsReader(
                Map.of("config", file.toString()),
                variable == null ? Map.of() : Map.of("WEIR_DECISIONS_SECRET", variable),
                Path.of(""));
        String secret = reader.orNull(DecisionSettings.SECRET);
        reader.requireNoProblems();
        return secret == null || secret.isEmpty() ? null : secret;
    }

    private void requireNoProblems() throws SettingsException {
        if (!problems.isEmpty()) {
            throw new SettingsException(problems);
        }
    }

    private Settings settings() {
        String host = value(SettingsCatalogue.HOST);
        Settings.Drain drain =
                new Settings.Drain(value(SettingsCatalogue.DRAIN_DELAY), value(SettingsCatalogue.DRAIN_TIMEOUT));
        if (drain.delay().compareTo(drain.timeout()) > 0) {
            problem(
                    SettingsCatalogue.DRAIN_DELAY,
                    Durations.text(drain.delay().toNanos() / 1_000) + " (expected: at most drain_timeout, "
                            + Durations.text(drain.timeout().toNanos() / 1_000) + ", which includes it)");
        }
        Duration deadline = value(StoreSettings.DEADLINE);
        boolean quota = value(SettingsCatalogue.QUOTA_MODE);
        Settings.Regions regions = StoreSettings.RegionSettings.read(this, given, problems);
        return new Settings(
                RuleOrigins.paths(orElse(SettingsCatalogue.RULES, ""), problems, whereOf(SettingsCatalogue.RULES)),
                value(SettingsCatalogue.MERGE_DOMAINS),
                new SourcesReader(this, problems)
                        .read(RuleOrigins.addresses(
                                orElse(SettingsCatalogue.RULES, ""), problems, whereOf(SettingsCatalogue.RULES))),
                value(RuleSettings.HEALTHY_WITHOUT),
                new ListenAddress(orElse(SettingsCatalogue.HTTP_HOST, host), value(SettingsCatalogue.HTTP_PORT)),
                new ListenAddress(orElse(SettingsCatalogue.GRPC_HOST, host), value(SettingsCatalogue.GRPC_PORT)),
                new ListenAddress(value(SettingsCatalogue.ADMIN_HOST), value(SettingsCatalogue.ADMIN_PORT)),
                new TlsReader(this).read(),
                NetworkSettings.read(this),
                TrustSettings.read(this),
                adminToken(),
                orElse(SettingsCatalogue.EVENT_LOOPS, Runtime.getRuntime().availableProcessors()),
                orElse(
                        StoreSettings.MAX_KEYS,
                        StoreSettings.keysThatFit(Runtime.getRuntime().maxMemory())),
                new LimiterSettings(value(SettingsCatalogue.SHADOW_MODE), quota, value(SettingsCatalogue.CHARGE_DENIED))
                        .withDeadlineMicros(deadline.toNanos() / 1_000)
                        .withKeptKeys(value(SettingsCatalogue.IDEMPOTENCY_TOTAL))
                        .withEndpointForm(value(SettingsCatalogue.ENDPOINT_FORM))
                        .withMaxRequestCost(value(SettingsCatalogue.MAX_REQUEST_COST))
                        .withCacheDenials(value(StoreSettings.CACHE_DENIALS))
                        .withTierCounters(orElse(
                                StoreSettings.TIER_COUNTERS,
                                StoreSettings.countersThatFit(
                                        Runtime.getRuntime().maxMemory()))),
                new StoresReader(given, problems).read(StoreSettings.common(this, deadline), regions),
                regions,
                control(),
                DecisionSettings.read(this, regions.own()),
                InsightSettings.read(this),
                new RlsSettings(
                        headers(
                                SettingsCatalogue.RESPONSE_HEADERS,
                                SettingsCatalogue.LIMIT_HEADER,
                                SettingsCatalogue.REMAINING_HEADER,
                                SettingsCatalogue.RESET_HEADER),
                        headers(
                                SettingsCatalogue.REQUEST_HEADERS,
                                SettingsCatalogue.REQUEST_LIMIT_HEADER,
                                SettingsCatalogue.REQUEST_REMAINING_HEADER,
                                SettingsCatalogue.REQUEST_RESET_HEADER),
                        value(SettingsCatalogue.RESPONSE_METADATA),
                        quota,
                        value(SettingsCatalogue.CALENDAR_MONTHS)),
                ReferenceMetricsSettings.read(this),
                new Settings.Logging(value(SettingsCatalogue.LOG_FORMAT), value(SettingsCatalogue.LOG_LEVEL)),
                new Settings.Idempotency(
                        value(SettingsCatalogue.IDEMPOTENCY_KEEP),
                        value(SettingsCatalogue.IDEMPOTENCY_KEYS),
                        orNull(SettingsCatalogue.IDEMPOTENCY_HEADER)),
                ForwardPathSettings.read(this),
                demo(),
                value(SettingsCatalogue.WARM_UP),
                drain,
                warnings);
    }

    /**
     * Whether the server drives itself. A demo takes neither the rules nor the counters of other servers, wherever they
     * are set: who starts one on the wrong machine changes nothing there.
     */
    private boolean demo() {
        if (demo == null) {
            return false;
        }
        boolean flapping = demo.equals(FLAPPING);
        if (!flapping && !demo.isEmpty()) {
            problems.add("--demo: \"" + demo + "\" (expected: no value, or " + FLAPPING + ")");
        }
        given.forEach((name, value) -> {
            boolean local = flapping && name.equals(StoreSettings.STORE.name());
            if (!WITH_DEMO.contains(name) && !local) {
                problems.add(value.where()
                        + ": conflicts with --demo, which has rules and callers of its own (expected: only ports, hosts,"
                        + " tokens, logging, event_loops, warm_up and drain)");
            }
        });
        GivenValue store = given.get(StoreSettings.STORE.name());
        if (flapping && (store == null || !LOCAL_REDIS.matcher(store.text()).matches())) {
            problems.add(
                    "--demo=" + FLAPPING + ": " + (store == null ? "without --store" : "with another " + store.where())
                            + " (expected: a Redis of this machine, such as --store redis://localhost:6379)");
        }
        return true;
    }

    private RlsSettings.@Nullable Headers headers(
            Setting<Boolean> sent, Setting<String> limit, Setting<String> remaining, Setting<String> reset) {
        RlsSettings.Headers names = new RlsSettings.Headers(value(limit), value(remaining), value(reset));
        return value(sent) ? names : null;
    }

    private Settings.@Nullable AdminToken adminToken() {
        GivenValue secret = given.get(SettingsCatalogue.ADMIN_TOKEN.name());
        Path file = orNull(SettingsCatalogue.ADMIN_TOKEN_FILE);
        if (secret == null) {
            return file == null ? null : new Settings.AdminToken(null, file);
        }
        if (file != null) {
            problems.add(secret.where() + ": conflicts with admin_token_file (expected: one of them)");
        }
        if (secret.text().length() < MIN_TOKEN_LENGTH) {
            problems.add(secret.where() + ": " + secret.text().length() + " characters (expected: at least "
                    + MIN_TOKEN_LENGTH + "; create one with: openssl rand -hex 32)");
        }
        return new Settings.AdminToken(secret.text(), null);
    }

    private ControlSettings control() {
        GivenValue db = given.get(SettingsCatalogue.DB.name());
        PostgresUrl url = null;
        try {
            url = db == null ? null : PostgresUrl.parse(db.text());
        } catch (IllegalArgumentException e) {
            problems.add(Objects.requireNonNull(db).where() + ": " + e.getMessage());
        }
        return new ControlSettings(orNull(SettingsCatalogue.DATA), url);
    }

    /** Requires {@code other} if {@code setting} is given. */
    void needs(Setting<?> setting, Setting<?> other) {
        GivenValue value = given.get(setting.name());
        if (value != null && !given.containsKey(other.name())) {
            problems.add(value.where() + ": without " + other.name() + " (expected: both)");
        }
    }

    void warn(String warning) {
        warnings.add(warning);
    }

    private String whereOf(Setting<?> setting) {
        GivenValue value = given.get(setting.name());
        return value == null ? setting.name() : value.where();
    }

    /** Adds a problem with a setting. */
    void problem(Setting<?> setting, String message) {
        problems.add(whereOf(setting) + ": " + message);
    }

    /** The given value, or the default. */
    <T> T value(Setting<T> setting) {
        T value = orNull(setting);
        return value != null ? value : Objects.requireNonNull(setting.reader().apply(setting.fallback()));
    }

    <T> T orElse(Setting<T> setting, T otherwise) {
        T value = orNull(setting);
        return value != null ? value : otherwise;
    }

    /**
     * The given value; null if there is none or it is invalid. Reading goes on after an invalid value, to find all
     * mistakes.
     */
    <T> @Nullable T orNull(Setting<T> setting) {
        GivenValue value = given.get(setting.name());
        T parsed = value == null ? null : setting.reader().apply(value.text());
        if (value != null && parsed == null) {
            problems.add(value.where() + ": \"" + value.text() + "\" (expected: " + setting.expected() + ")");
        }
        return parsed;
    }
}
