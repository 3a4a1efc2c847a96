package dev.weir.server.settings;

import dev.weir.control.ControlSettings;
import dev.weir.control.database.PostgresUrl;
import dev.weir.limiter.LimiterSettings;
import dev.weir.rules.diagnostics.Suggestion;
import dev.weir.server.rls.RlsSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Brings the sources together; the later wins: {@code weir.yaml}, the reference service's variables, {@code WEIR_*}, flags.
 * {@code weir.yaml} is the file that {@code --config} or {@code WEIR_CONFIG} names, else the one in the working directory.
 */
public final class SettingsReader {
    /** 128 bits in hexadecimal digits. */
    public static final int SHORTEST_TOKEN = 32;

    /** What the other commands read. */
    private static final Set<String> FOR_COMMANDS =
            Set.of("WEIR_CONFIG", "WEIR_ADMIN", "WEIR_URL", "WEIR_TOKEN", "WEIR_TOKEN_FILE", "WEIR_CA");

    private final Map<String, Given> given = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    private SettingsReader() {}

    /**
     * Reads all settings.
     *
     * @param flags values of flags by the name of their setting, and {@code config}
     * @throws SettingsException naming everything that is wrong, not only the first
     */
    public static Settings read(Map<String, String> flags, Map<String, String> environment, Path workingDirectory)
            throws SettingsException {
        SettingsReader reader = new SettingsReader();
        reader.readFile(flags.get("config"), environment, workingDirectory);
        reader.readReference(environment);
        reader.readEnvironment(environment);
        for (Setting<?> each : Catalogue.all()) {
            String text = flags.get(each.name());
            if (text != null && !each.isSecret()) {
                reader.given.put(each.name(), new Given(text, each.flag()));
            }
        }
        Settings settings = reader.settings();
        if (!reader.problems.isEmpty()) {
            throw new SettingsException(reader.problems);
        }
        return settings;
    }

    private void readFile(@Nullable String flag, Map<String, String> environment, Path workingDirectory) {
        String named = flag != null ? flag : environment.getOrDefault("WEIR_CONFIG", "");
        Path file = workingDirectory.resolve(named.isEmpty() ? "weir.yaml" : named);
        if (!named.isEmpty() || Files.exists(file)) {
            given.putAll(SettingsFile.read(named.isEmpty() ? file : Path.of(named), problems));
        }
    }

    private void readReference(Map<String, String> environment) {
        Given rules = ReferenceVariables.rules(environment, problems);
        if (rules != null) {
            given.put(Catalogue.RULES.name(), rules);
        }
        given.putAll(ReferenceVariables.tls(environment, problems));
        given.putAll(ReferenceRedis.read(environment, problems));
        for (Setting<?> each : Catalogue.all()) {
            String variable = each.reference();
            if (variable != null) {
                take(each, variable, environment.getOrDefault(variable, ""), each.inverted());
            }
        }
        Set<String> idle = ReferenceVariables.withoutMeaning(environment);
        if (!idle.isEmpty()) {
            warnings.add("set, but without meaning here: " + String.join(", ", idle));
        }
    }

    private void readEnvironment(Map<String, String> environment) {
        Set<String> unknown = new TreeSet<>();
        environment.keySet().stream()
                .filter(name -> name.startsWith("WEIR_") && !isForTheLauncher(name) && !isServiceLink(name))
                .forEach(unknown::add);
        for (Setting<?> each : Catalogue.all()) {
            unknown.remove(each.variable());
            take(each, each.variable(), environment.getOrDefault(each.variable(), ""), false);
        }
        for (String each : unknown) {
            List<String> known = Catalogue.all().stream().map(Setting::variable).toList();
            warnings.add(each + ": no such setting (" + Suggestion.among(each, known) + ")");
        }
    }

    private void take(Setting<?> setting, String variable, String text, boolean inverted) {
        // Kubernetes tells every pod of a service "weir-http" that WEIR_HTTP_PORT is tcp://10.0.0.1:8080.
        if (text.isEmpty() || text.startsWith("tcp://")) {
            return;
        }
        Boolean opposite = inverted ? Values.bool(text) : null;
        given.put(setting.name(), new Given(opposite == null ? text : String.valueOf(!opposite), variable));
    }

    private static boolean isForTheLauncher(String variable) {
        return FOR_COMMANDS.contains(variable) || variable.startsWith("WEIR_JAVA_");
    }

    /** What Kubernetes sets in every pod beside a service called "weir". */
    private static boolean isServiceLink(String variable) {
        return variable.equals("WEIR_PORT") || variable.matches("WEIR_(\\w+_)?(SERVICE_(HOST|PORT).*|PORT_\\d+_.*)");
    }

    private Settings settings() {
        String host = value(Catalogue.HOST);
        Settings.Drain drain = new Settings.Drain(value(Catalogue.DRAIN_DELAY), value(Catalogue.DRAIN_TIMEOUT));
        Duration deadline = value(StoreSettings.DEADLINE);
        boolean quota = value(Catalogue.QUOTA_MODE);
        return new Settings(
                RuleOrigins.paths(orElse(Catalogue.RULES, ""), problems, whereOf(Catalogue.RULES)),
                value(Catalogue.MERGE_DOMAINS),
                new SourcesReader(this, problems)
                        .read(RuleOrigins.addresses(orElse(Catalogue.RULES, ""), problems, whereOf(Catalogue.RULES))),
                new Address(orElse(Catalogue.HTTP_HOST, host), value(Catalogue.HTTP_PORT)),
                new Address(orElse(Catalogue.GRPC_HOST, host), value(Catalogue.GRPC_PORT)),
                new Address(value(Catalogue.ADMIN_HOST), value(Catalogue.ADMIN_PORT)),
                new TlsReader(given, problems, this::orNull).read(),
                adminToken(),
                orElse(Catalogue.EVENT_LOOPS, Runtime.getRuntime().availableProcessors()),
                orElse(
                        StoreSettings.MAX_KEYS,
                        StoreSettings.keysThatFit(Runtime.getRuntime().maxMemory())),
                new LimiterSettings(value(Catalogue.SHADOW_MODE), quota, value(Catalogue.CHARGE_DENIED))
                        .withDeadlineMicros(deadline.toNanos() / 1_000)
                        .withTierCounters(orElse(
                                StoreSettings.TIER_COUNTERS,
                                StoreSettings.countersThatFit(
                                        Runtime.getRuntime().maxMemory()))),
                new StoresReader(given, problems).read(StoreSettings.alike(this, deadline)),
                control(),
                DecisionSettings.read(this),
                new RlsSettings(
                        value(Catalogue.RESPONSE_HEADERS),
                        value(Catalogue.LIMIT_HEADER),
                        value(Catalogue.REMAINING_HEADER),
                        value(Catalogue.RESET_HEADER),
                        value(Catalogue.RESPONSE_METADATA),
                        quota),
                new Settings.Logging(value(Catalogue.LOG_FORMAT), value(Catalogue.LOG_LEVEL)),
                new Settings.Idempotency(value(Catalogue.IDEMPOTENCY_KEEP), value(Catalogue.IDEMPOTENCY_KEYS)),
                value(Catalogue.WARM_UP),
                drain,
                warnings);
    }

    private Settings.@Nullable AdminToken adminToken() {
        Given secret = given.get(Catalogue.ADMIN_TOKEN.name());
        Path file = orNull(Catalogue.ADMIN_TOKEN_FILE);
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
        Given db = given.get(Catalogue.DB.name());
        PostgresUrl url = null;
        try {
            url = db == null ? null : PostgresUrl.parse(db.text());
        } catch (IllegalArgumentException e) {
            problems.add(Objects.requireNonNull(db).where() + ": " + e.getMessage());
        }
        return new ControlSettings(orNull(Catalogue.DATA), url);
    }

    /** Whoever sets the one and not the other would get something else than they think. */
    void needs(Setting<?> setting, Setting<?> other) {
        Given said = given.get(setting.name());
        if (said != null && !given.containsKey(other.name())) {
            problems.add(said.where() + ": without " + other.name() + " (expected: both)");
        }
    }

    void warn(String warning) {
        warnings.add(warning);
    }

    private String whereOf(Setting<?> setting) {
        Given said = given.get(setting.name());
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
        Given said = given.get(setting.name());
        T value = said == null ? null : setting.reader().apply(said.text());
        if (said != null && value == null) {
            problems.add(said.where() + ": \"" + said.text() + "\" (expected: " + setting.expected() + ")");
        }
        return value;
    }
}
