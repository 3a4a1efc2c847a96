package dev.weir.server.command;

import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.rules.internal.load.RuleFilesSnapshot;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.rules.internal.load.RulePaths;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.InputFile;
import dev.weir.server.envoy.EnvoyConfigCheck;
import dev.weir.server.settings.SettingsException;
import dev.weir.server.settings.SettingsReader;
import dev.weir.text.diagnostics.Diagnostic;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks rule files, and Envoy configurations that ask for them, without a server. */
@Command(
        name = "validate",
        description = "Check rule files, and Envoy configurations; prints every error and warning with its position.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {"0:valid, perhaps with warnings", "1:errors", "2:wrong arguments"})
final class ValidateCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..*",
            paramLabel = "FILE|DIR",
            description = "Files, or folders with *.yaml and *.yml files: one set of rules, as for serve --rules; - for"
                    + " standard input.")
    private List<Path> sources = List.of();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings file (weir.yaml) with the stores that rules may name.")
    private @Nullable Path config;

    @Option(
            names = "--envoy",
            paramLabel = "FILE",
            description =
                    "Envoy configuration: warns of settings of its rate limit and quota filters that do not mean what"
                            + " they seem to, and of requests that no rule matches. May be repeated; rule files are optional then.")
    private List<Path> envoys = List.of();

    @Option(names = "--merge-domains", description = "Merge files that have the same domain.")
    private boolean mergeDomains;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        if (sources.isEmpty() && envoys.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Missing required parameter: 'FILE|DIR'");
        }
        List<Diagnostic> found = new ArrayList<>();
        WrittenRules rules = null;
        LoadOptions options = options();
        if (!sources.isEmpty()) {
            LoadResult loaded = RuleLoader.load(files(), options);
            show(loaded.diagnostics(), found);
            rules = loaded.rules();
            if (rules != null) {
                summary(rules, loaded.documents(), options);
            }
        }
        for (Path each : envoys) {
            List<Diagnostic> problems =
                    EnvoyConfigCheck.check(InputFile.name(each), InputFile.read(each), rules, options.endpointForm());
            show(problems, found);
            if (problems.isEmpty()) {
                spec.commandLine().getOut().println(InputFile.name(each) + ": nothing to warn of");
            }
        }
        spec.commandLine().getOut().flush();
        return verdict(found, rules);
    }

    private void show(List<Diagnostic> diagnostics, List<Diagnostic> found) {
        diagnostics.forEach(spec.commandLine().getOut()::println);
        found.addAll(diagnostics);
    }

    private void summary(WrittenRules rules, int documents, LoadOptions options) {
        String names = sources.stream().map(ValidateCommand::name).collect(Collectors.joining(", "));
        spec.commandLine()
                .getOut()
                .println(names + ": valid: " + count(rules.rules().size(), "rule") + " in "
                        + count(rules.domains().size(), "domain") + ", from " + count(documents, "file")
                        + "; endpoints are compared in their "
                        + options.endpointForm().text() + " form");
    }

    private int verdict(List<Diagnostic> found, @Nullable WrittenRules rules) {
        PrintWriter err = spec.commandLine().getErr();
        if (config == null && rules != null && rules.rules().stream().anyMatch(ValidateCommand::namesAStore)) {
            err.println("the stores that rules name were not checked (use --config weir.yaml)");
        }
        int errors = (int) found.stream().filter(Diagnostic::isError).count();
        int warnings = found.size() - errors;
        if (errors + warnings > 0) {
            // To standard error: standard output has one finding per line.
            err.println(count(errors, "error") + ", " + count(warnings, "warning"));
        }
        return errors > 0 ? 1 : 0;
    }

    /** The files of all sources, those of standard input last. */
    private RuleFilesSnapshot files() throws CommandException {
        List<Path> paths = sources.stream()
                .filter(each -> !InputFile.isStandardInput(each))
                .toList();
        RuleFilesSnapshot read = RulePaths.at(paths).read();
        if (paths.size() == sources.size()) {
            return read;
        }
        List<RuleDocument> all = new ArrayList<>(read.files());
        all.add(new RuleDocument(InputFile.STANDARD_INPUT, InputFile.read(null)));
        return RuleFilesSnapshot.of(all, read.problems());
    }

    private static String name(Path source) {
        return InputFile.isStandardInput(source) ? InputFile.STANDARD_INPUT : source.toString();
    }

    private LoadOptions options() throws CommandException {
        if (config == null) {
            return new LoadOptions(mergeDomains);
        }
        try {
            LoadOptions given = SettingsReader.ruleOptions(config);
            return new LoadOptions(
                    mergeDomains || given.mergeDomains(),
                    given.stores(),
                    given.calendarMonths(),
                    given.endpointForm(),
                    given.regions());
        } catch (SettingsException e) {
            throw new CommandException(String.valueOf(e.getMessage()));
        }
    }

    private static boolean namesAStore(Rule rule) {
        return !rule.store().equals(Rule.DEFAULT_STORE);
    }

    private static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
