package dev.weir.server.settings;

import dev.weir.text.message.Suggestion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Merges the sources of settings, of which the later wins: {@code weir.yaml}, the reference service's variables,
 * {@code WEIR_*}, flags. {@code weir.yaml} is the file that {@code --config} or {@code WEIR_CONFIG} names, else the one
 * in the working directory.
 */
final class GivenValuesReader {
    /** Variables of the other commands. */
    private static final Set<String> FOR_COMMANDS =
            Set.of("WEIR_CONFIG", "WEIR_ADMIN", "WEIR_URL", "WEIR_TOKEN", "WEIR_TOKEN_FILE", "WEIR_CA");

    private final Map<String, GivenValue> given = new LinkedHashMap<>();
    private final List<String> problems;
    private final List<String> warnings;

    GivenValuesReader(List<String> problems, List<String> warnings) {
        this.problems = problems;
        this.warnings = warnings;
    }

    /**
     * The values given for each setting, by its name. {@code flags} are by the name of their setting, and
     * {@code config}.
     */
    Map<String, GivenValue> read(Map<String, String> flags, Map<String, String> environment, Path workingDirectory) {
        readFile(flags.get("config"), environment, workingDirectory);
        readReference(environment);
        readEnvironment(environment);
        for (Setting<?> each : SettingsCatalogue.all()) {
            String text = flags.get(each.name());
            if (text != null && !each.isSecret()) {
                given.put(each.name(), new GivenValue(text, each.flag()));
            }
        }
        return given;
    }

    private void readFile(@Nullable String flag, Map<String, String> environment, Path workingDirectory) {
        String named = flag != null ? flag : environment.getOrDefault("WEIR_CONFIG", "");
        Path file = workingDirectory.resolve(named.isEmpty() ? "weir.yaml" : named);
        if (!named.isEmpty() || Files.exists(file)) {
            given.putAll(SettingsFile.read(named.isEmpty() ? file : Path.of(named), problems));
        }
    }

    private void readReference(Map<String, String> environment) {
        GivenValue rules = ReferenceVariables.rules(environment, problems);
        if (rules != null) {
            given.put(SettingsCatalogue.RULES.name(), rules);
        }
        ReferenceVariables.refuseUnixSocket(environment, problems);
        given.putAll(ReferenceVariables.tls(environment, problems));
        given.putAll(ReferenceVariables.metrics(environment, problems));
        given.putAll(ReferenceVariables.cache(environment, problems));
        given.putAll(ReferenceRedis.read(environment, problems));
        for (Setting<?> each : SettingsCatalogue.all()) {
            String variable = each.reference();
            if (variable != null) {
                add(each, variable, environment.getOrDefault(variable, ""), each.inverted());
            }
        }
        Set<String> ignored = ReferenceVariables.ignored(environment);
        if (!ignored.isEmpty()) {
            warnings.add("ignored variables of envoyproxy/ratelimit: " + String.join(", ", ignored));
        }
    }

    private void readEnvironment(Map<String, String> environment) {
        Set<String> unknown = new TreeSet<>();
        environment.keySet().stream()
                .filter(name -> name.startsWith("WEIR_") && !isForCommands(name) && !isServiceLink(name))
                .forEach(unknown::add);
        for (Setting<?> each : SettingsCatalogue.all()) {
            unknown.remove(each.variable());
            add(each, each.variable(), environment.getOrDefault(each.variable(), ""), false);
        }
        for (String each : unknown) {
            warnings.add(each + ": unknown setting (" + hint(each, Setting::variable) + ")");
        }
    }

    /** A hint for {@code name}, which no setting has: the nearest name, because there are too many to list them all. */
    static String hint(String name, Function<Setting<?>, String> nameOf) {
        List<String> known = SettingsCatalogue.all().stream().map(nameOf).toList();
        String nearest = Suggestion.nearest(name, known);
        return nearest == null ? "see docs/settings.md" : Suggestion.meant(nearest);
    }

    private void add(Setting<?> setting, String variable, String text, boolean inverted) {
        // Kubernetes sets WEIR_HTTP_PORT=tcp://10.0.0.1:8080 in every pod beside a service called "weir-http".
        boolean isServiceLink = variable.endsWith("PORT") && text.startsWith("tcp://");
        if (text.isEmpty() || isServiceLink) {
            return;
        }
        Boolean opposite = inverted ? SettingParsers.bool(text) : null;
        given.put(setting.name(), new GivenValue(opposite == null ? text : String.valueOf(!opposite), variable));
    }

    private static boolean isForCommands(String variable) {
        return FOR_COMMANDS.contains(variable) || variable.startsWith("WEIR_JAVA_");
    }

    /** Whether Kubernetes sets this variable in every pod beside a service called "weir". */
    private static boolean isServiceLink(String variable) {
        return variable.equals("WEIR_PORT") || variable.matches("WEIR_(\\w+_)?(SERVICE_(HOST|PORT).*|PORT_\\d+_.*)");
    }
}
