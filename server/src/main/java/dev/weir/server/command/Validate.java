package dev.weir.server.command;

import dev.weir.match.RuleSet;
import dev.weir.rules.LoadOptions;
import dev.weir.rules.LoadResult;
import dev.weir.rules.RuleLoader;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks rule files without a server. */
@Command(
        name = "validate",
        description = "Check rule files: every error and warning, with its place.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {"0:good, perhaps with warnings", "1:errors"})
final class Validate implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "FILE|DIR", description = "Files, or folders with *.yaml and *.yml files.")
    private List<Path> sources = List.of();

    @Option(names = "--merge-domains", description = "Let several files add to one domain of Envoy's spelling.")
    private boolean mergeDomains;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        int errors = 0;
        int warnings = 0;
        for (Path each : sources) {
            LoadResult loaded = RuleLoader.load(each, new LoadOptions(mergeDomains));
            loaded.diagnostics().forEach(out::println);
            errors += loaded.errors().size();
            warnings += loaded.warnings().size();
            RuleSet rules = loaded.rules();
            if (rules != null) {
                out.println(each + ": good: " + count(rules.rules().size(), "rule") + " in "
                        + count(rules.domains().size(), "domain"));
            }
        }
        out.flush();
        if (errors + warnings > 0) {
            // Beside the lines, of which each is one finding.
            spec.commandLine().getErr().println(count(errors, "error") + ", " + count(warnings, "warning"));
        }
        return errors > 0 ? 1 : 0;
    }

    private static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
