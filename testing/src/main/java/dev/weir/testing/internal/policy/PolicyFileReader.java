package dev.weir.testing.internal.policy;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Consistency;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.grammar.RuleFile;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.simulation.scenario.EmbeddedRules;
import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.FileErrors;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import dev.weir.text.yaml.YamlReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a test file: its own fields here and in {@link StepReader}, its rules with the reader of rule files. */
public final class PolicyFileReader {
    private static final String TESTS = "tests";
    private static final String RULES = "rules";
    private static final String DOMAIN = "domain";
    private static final List<String> WITH_RULES =
            Stream.concat(Stream.of(TESTS), RuleFile.FIELDS.stream()).distinct().toList();
    private static final List<String> WITH_PATHS = List.of(RULES, DOMAIN, TESTS);
    private static final List<String> TEST = List.of("name", "quotas", "store", "steps");

    private final DiagnosticCollector problems;
    private final Fields root;

    /** Where the counters of a test live. */
    enum StoreKind {
        MEMORY,
        REDIS
    }

    /** The rules of a file, and where they came from. */
    private record Tested(LoadResult loaded, List<Path> sources) {}

    private PolicyFileReader(DiagnosticCollector problems, Fields root) {
        this.problems = problems;
        this.root = root;
    }

    /** Reads {@code file}. */
    public static PolicyFile read(Path file, LoadOptions options) {
        try {
            return read(file.toString(), Files.readAllBytes(file), file, options);
        } catch (IOException e) {
            DiagnosticCollector problems = new DiagnosticCollector(file.toString());
            problems.error(Position.FILE, "cannot be read: " + FileErrors.why(e));
            return new PolicyFile(file.toString(), null, List.of(), List.of(), problems.all());
        }
    }

    /** Reads the bytes of a file; diagnostics call it {@code name}, and paths in it are relative to {@code file}. */
    public static PolicyFile read(String name, byte[] bytes, Path file, LoadOptions options) {
        DiagnosticCollector problems = new DiagnosticCollector(name);
        YamlNode node = YamlReader.read(bytes, problems);
        if (node == null && problems.errors() == 0) {
            problems.error(new Position(1, 1), "the file is empty", "expected: rules and tests");
        }
        Fields root = node == null ? null : Fields.of(node, "the file", problems);
        if (root == null) {
            return new PolicyFile(name, null, List.of(), List.of(), problems.all());
        }
        PolicyFileReader reader = new PolicyFileReader(problems, root);
        Tested tested = reader.rules(bytes, file, options);
        List<PolicyTest> tests = reader.tests(tested.loaded().rules());
        List<Diagnostic> all = new ArrayList<>(problems.all());
        all.addAll(tested.loaded().errors());
        boolean wrong = all.stream().anyMatch(Diagnostic::isError);
        return new PolicyFile(name, tested.loaded().rules(), wrong ? List.of() : tests, tested.sources(), all);
    }

    private Tested rules(byte[] bytes, Path file, LoadOptions options) {
        boolean own = root.has("descriptors")
                || (root.node(RULES) instanceof Sequence list
                        && list.items().stream().noneMatch(Scalar.class::isInstance));
        if (own) {
            Predicate<String> isOwn = PolicyFileReader::isTests;
            root.only(isOwn).allow(WITH_RULES, Map.of());
            LoadResult loaded = EmbeddedRules.in(root.entries(), new String(bytes, StandardCharsets.UTF_8), isOwn)
                    .load(problems.file(), null, options);
            return new Tested(loaded, List.of());
        }
        root.allow(WITH_PATHS, Map.of());
        List<Path> sources = new ArrayList<>();
        for (Scalar each : paths()) {
            Path path = file.resolveSibling(each.text());
            if (Files.exists(path)) {
                sources.add(path);
            } else {
                problems.error(each.at(), "rules: no such file: " + path, "expected: a path from this file");
            }
        }
        if (!root.has(RULES) && !root.isMeant(RULES)) {
            String name = String.valueOf(file.getFileName());
            Path beside = file.resolveSibling(name.replaceFirst("(?i)\\.test(\\.ya?ml)$", "$1"));
            if (!beside.equals(file) && Files.exists(beside)) {
                sources.add(beside);
            } else {
                problems.error(
                        root.at(),
                        "rules: missing",
                        "expected: the path of a rule file or folder, or the rules themselves");
            }
        }
        return new Tested(
                sources.isEmpty() ? new LoadResult(null, List.of(), 0) : RuleLoader.loadAll(sources, options), sources);
    }

    /** Whether a field is {@code tests}, or a misspelling of it; other names are left to the reader of rule files. */
    private static boolean isTests(String field) {
        return field.equals(TESTS)
                || (!WITH_RULES.contains(field) && TESTS.equals(Suggestion.nearest(field, WITH_RULES)));
    }

    private List<Scalar> paths() {
        YamlNode node = root.node(RULES);
        if (node instanceof Scalar scalar) {
            return List.of(scalar);
        }
        List<Scalar> paths = new ArrayList<>();
        for (YamlNode each : root.list(RULES)) {
            if (each instanceof Scalar scalar) {
                paths.add(scalar);
            } else {
                problems.error(each.at(), "rules: " + each.kind(), "expected: paths alone, or rules alone");
            }
        }
        return paths;
    }

    private List<PolicyTest> tests(@Nullable WrittenRules rules) {
        List<YamlNode> written = root.list(TESTS);
        if (written.isEmpty() && (root.has(TESTS) || root.lacks(TESTS))) {
            problems.error(root.at(TESTS), "tests: empty", "expected: a list of tests, each with a name and steps");
        }
        List<PolicyTest> tests = new ArrayList<>();
        Map<String, Position> names = new HashMap<>();
        for (YamlNode each : written) {
            Fields fields = Fields.of(each, "a test", "{ name: …, steps: … }", problems);
            if (fields != null) {
                PolicyTest test = test(fields, rules);
                tests.add(test);
                Position first = names.putIfAbsent(test.name(), fields.at("name"));
                if (first != null && fields.has("name")) {
                    problems.error(fields.at("name"), "duplicate name " + quote(test.name()), "first at " + first);
                }
            }
        }
        return tests;
    }

    private PolicyTest test(Fields fields, @Nullable WrittenRules loaded) {
        WrittenRules rules = loaded == null ? WrittenRules.empty() : loaded;
        fields.allow(TEST, Map.of("given", "write quotas and store beside the name", "rules", "it belongs at the top"));
        String name = fields.text("name");
        if (name == null && fields.lacks("name")) {
            problems.error(fields.at(), "name: missing", "expected: what the rules should do, in words");
        }
        StoreKind store = fields.oneOf("store", StoreKind.values());
        Map<String, CallerOverrides> quotas = quotas(fields, rules);
        StepReader reader = new StepReader(rules, root.text(DOMAIN), problems);
        List<PolicyStep> steps = new ArrayList<>();
        List<YamlNode> written = fields.list("steps");
        if (written.isEmpty() && (fields.has("steps") || fields.lacks("steps"))) {
            problems.error(
                    fields.at("steps"),
                    "steps: empty",
                    "expected: a list, like - { ask: { user_id: u1 }, expect: allowed }");
        }
        int before = problems.errors();
        for (YamlNode each : written) {
            reader.read(each, steps);
        }
        boolean expects = steps.stream()
                .anyMatch(each ->
                        each instanceof PolicyStep.Ask ask && !ask.expect().isEmpty());
        if (loaded != null && !written.isEmpty() && problems.errors() == before && !expects) {
            problems.error(fields.at(), "the test expects nothing", "add expect: allowed, or denied, to a step");
        }
        boolean cut = steps.stream().anyMatch(PolicyStep.Unreachable.class::isInstance);
        if (cut && store == StoreKind.MEMORY) {
            problems.error(fields.at("store"), "store: memory", "expected: redis, because a step makes it unreachable");
        }
        boolean named = rules.rules().stream()
                .anyMatch(rule -> !rule.store().equals(Rule.DEFAULT_STORE) && rule.consistency() != Consistency.LOCAL);
        return new PolicyTest(
                problems.file(),
                fields.at("name"),
                name == null ? "" : name,
                rules,
                cut || named || store == StoreKind.REDIS,
                quotas,
                steps);
    }

    private Map<String, CallerOverrides> quotas(Fields fields, WrittenRules rules) {
        YamlNode node = fields.node("quotas");
        Fields callers = node == null ? null : Fields.of(node, "quotas", "{ KEY: { tier: pro } }", problems);
        Map<String, CallerOverrides> quotas = new HashMap<>();
        if (callers != null) {
            QuotaReader reader = new QuotaReader(rules, problems);
            callers.entries().forEach(each -> quotas.put(each.key().text(), reader.read(each.value())));
        }
        return quotas;
    }
}
