package dev.weir.server.settings;

import dev.weir.control.ControlSettings;
import dev.weir.control.database.PostgresUrl;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.rules.LoadOptions;
import dev.weir.server.rls.RlsSettings;
import dev.weir.text.fields.Durations;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes settings of what was {@linkplain GivenValuesReader given}, and says everything that is wrong with it. */
public final class SettingsReader {
    /** 128 bits in hexadecimal digits. */
    public static final int SHORTEST_TOKEN = 32;

    private final Map<String, GivenValue> given;
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    private SettingsReader(Map<String, String> flags, Map<String, String> environment, Path workingDirectory) {
        given = new GivenValuesReader(problems, warnings).read(flags, environment, workingDirectory);
    }

    /**
     * Reads all settings.
     *
     * @param flags values of flags by the name of their setting, and {@code config}
     * @throws SettingsException naming everything that is wrong, not only the first
     */
    public static Settings read(Map<String, String> flags, Map<String, String> environment, Path workingDirectory)
            throws SettingsException {
        SettingsReader reader = new SettingsReader(flags, environment, workingDirectory);
        Settings settings = reader.settings();
        reader.requireNoProblems();
        return settings;
    }

    /**
     * How a server with the settings of {@code file} reads rules. Nothing else of them is looked at: where rules are checked,
     * there need not be the passwords and certificates of a server.
     *
     * @throws SettingsException if the file cannot be read
     */
    public static LoadOptions ruleOptions(Path file) throws SettingsException {
        SettingsReader reader = new SettingsReader(Map.of("config", file.toString()), Map.of(), Path.of(""));
        LoadOptions options = new LoadOptions(
                reader.value(SettingsCatalogue.MERGE_DOMAINS), new StoresReader(reader.given, reader.problems).names());
        reader.requireNoProblems();
        return options;
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
                            + Durations.text(drain.timeout().toNanos() / 1_000) + ", of which it is a part)");
        }
        Duration deadline = value(StoreSettings.DEADLINE);
        boolean quota = value(SettingsCatalogue.QUOTA_MODE);
        return new Settings(
                RuleOrigins.paths(orElse(SettingsCatalogue.RULES, ""), problems, whereOf(SettingsCatalogue.RULES)),
                value(SettingsCatalogue.MERGE_DOMAINS),
                new SourcesReader(this, problems)
                        .read(RuleOrigins.addresses(
                                orElse(SettingsCatalogue.RULES, ""), problems, whereOf(SettingsCatalogue.RULES))),
                new ListenAddress(orElse(SettingsCatalogue.HTTP_HOST, host), value(SettingsCatalogue.HTTP_PORT)),
                new ListenAddress(orElse(SettingsCatalogue.GRPC_HOST, host), value(SettingsCatalogue.GRPC_PORT)),
                new ListenAddress(value(SettingsCatalogue.ADMIN_HOST), value(SettingsCatalogue.ADMIN_PORT)),
                new TlsReader(given, problems, this::orNull).read(),
                NetworkSettings.read(this),
                adminToken(),
                orElse(SettingsCatalogue.EVENT_LOOPS, Runtime.getRuntime().availableProcessors()),
                orElse(
                        StoreSettings.MAX_KEYS,
                        StoreSettings.keysThatFit(Runtime.getRuntime().maxMemory())),
                new LimiterSettings(value(SettingsCatalogue.SHADOW_MODE), quota, value(SettingsCatalogue.CHARGE_DENIED))
                        .withDeadlineMicros(deadline.toNanos() / 1_000)
                        .withKeptKeys(value(SettingsCatalogue.IDEMPOTENCY_TOTAL))
                        .withTierCounters(orElse(
                                StoreSettings.TIER_COUNTERS,
                                StoreSettings.countersThatFit(
                                        Runtime.getRuntime().maxMemory()))),
                new StoresReader(given, problems).read(StoreSettings.alike(this, deadline)),
                control(),
                DecisionSettings.read(this),
                new RlsSettings(
                        value(SettingsCatalogue.RESPONSE_HEADERS),
                        value(SettingsCatalogue.LIMIT_HEADER),
                        value(SettingsCatalogue.REMAINING_HEADER),
                        value(SettingsCatalogue.RESET_HEADER),
                        value(SettingsCatalogue.RESPONSE_METADATA),
                        quota),
                new Settings.Logging(value(SettingsCatalogue.LOG_FORMAT), value(SettingsCatalogue.LOG_LEVEL)),
                new Settings.Idempotency(
                        value(SettingsCatalogue.IDEMPOTENCY_KEEP), value(SettingsCatalogue.IDEMPOTENCY_KEYS)),
                value(SettingsCatalogue.WARM_UP),
                drain,
                warnings);
    }

    private Settings.@Nullable AdminToken adminToken() {
        GivenValue secret = given.get(SettingsCatalogue.ADMIN_TOKEN.name());
        Path file = orNull(SettingsCatalogue.ADMIN_TOKEN_FILE);
        if (secret == null) {
            return file == null ? null : new Settings.AdminToken(null, file);
        }
        if (file != null) {
            problems.add(secret.where() + ": beside admin_token_file (expected: one of them)");
        }
        if (secret.text().length() < SHORTEST_TOKEN) {
            problems.add(secret.where() + ": " + secret.text().length() + " characters (expected: at least "
                    + SHORTEST_TOKEN + "; openssl rand -hex 32 makes a token)");
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

    /** Whoever sets the one and not the other would get something else than they think. */
    void needs(Setting<?> setting, Setting<?> other) {
        GivenValue said = given.get(setting.name());
        if (said != null && !given.containsKey(other.name())) {
            problems.add(said.where() + ": without " + other.name() + " (expected: both)");
        }
    }

    void warn(String warning) {
        warnings.add(warning);
    }

    private String whereOf(Setting<?> setting) {
        GivenValue said = given.get(setting.name());
        return said == null ? setting.name() : said.where();
    }

    /** Notes what is wrong with a setting that was given. */
    void problem(Setting<?> setting, String message) {
        problems.add(whereOf(setting) + ": " + message);
    }

    /** What was set, or the default. */
    <T> T value(Setting<T> setting) {
        T value = orNull(setting);
        return value != null ? value : Objects.requireNonNull(setting.reader().apply(setting.fallback()));
    }

    <T> T orElse(Setting<T> setting, T otherwise) {
        T value = orNull(setting);
        return value != null ? value : otherwise;
    }

    /** What was set; null, too, for what cannot be, so that reading goes on and finds everything that is wrong. */
    <T> @Nullable T orNull(Setting<T> setting) {
        GivenValue said = given.get(setting.name());
        T value = said == null ? null : setting.reader().apply(said.text());
        if (said != null && value == null) {
            problems.add(said.where() + ": \"" + said.text() + "\" (expected: " + setting.expected() + ")");
        }
        return value;
    }
}
