package dev.weir.server.command;

import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.settings.SettingsException;
import dev.weir.server.settings.SettingsReader;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks rule files without a server. */
@Command(
        name = "validate",
        description = "Check rule files; prints every error and warning with its position.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {"0:valid, perhaps with warnings", "1:errors"})
final class ValidateCommand implements Callable<Integer> {
    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|DIR",
            description = "Files, or folders with *.yaml and *.yml files: one set of rules, as for serve --rules.")
    private List<Path> sources = List.of();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings file (weir.yaml) with the stores that rules may name.")
    private @Nullable Path config;

    @Option(names = "--merge-domains", description = "Merge files that have the same domain.")
    private boolean mergeDomains;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        EndpointForm form = endpointForm();
        LoadResult loaded = RuleLoader.loadAll(sources, options());
        loaded.diagnostics().forEach(out::println);
        WrittenRules rules = loaded.rules();
        if (rules != null) {
            String names = sources.stream().map(Path::toString).collect(Collectors.joining(", "));
            out.println(names + ": valid: " + count(rules.rules().size(), "rule") + " in "
                    + count(rules.domains().size(), "domain") + ", from " + count(loaded.documents(), "file")
                    + "; endpoints are compared in their " + form.text() + " form");
        }
        out.flush();
        if (config == null && rules != null && rules.rules().stream().anyMatch(ValidateCommand::namesAStore)) {
            err.println("the stores that rules name were not checked (use --config weir.yaml)");
        }
        int errors = loaded.errors().size();
        int warnings = loaded.warnings().size();
        if (errors + warnings > 0) {
            // To standard error: standard output has one finding per line.
            err.println(count(errors, "error") + ", " + count(warnings, "warning"));
        }
        return errors > 0 ? 1 : 0;
    }

    private EndpointForm endpointForm() throws CommandException {
        try {
            return config == null ? EndpointForm.NORMAL : SettingsReader.endpointForm(config);
        } catch (SettingsException e) {
            throw new CommandException(String.valueOf(e.getMessage()));
        }
    }

    private LoadOptions options() throws CommandException {
        if (config == null) {
            return new LoadOptions(mergeDomains);
        }
        try {
            LoadOptions given = SettingsReader.ruleOptions(config);
            return new LoadOptions(mergeDomains || given.mergeDomains(), given.stores(), given.calendarMonths());
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
