package dev.weir.server.command.policy;

import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.RulePaths;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.command.client.InputFile;
import dev.weir.server.settings.SettingsException;
import dev.weir.server.settings.SettingsReader;
import dev.weir.testing.internal.policy.PolicyFile;
import dev.weir.testing.internal.policy.PolicyFileReader;
import dev.weir.testing.internal.policy.PolicyPaths;
import dev.weir.testing.internal.report.JUnitXml;
import dev.weir.testing.internal.run.PolicySuite;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs policy tests in this process on virtual time. */
@Command(
        name = "test",
        description = {
            "Test rules before they take effect: send requests on virtual time, and compare the answers with a file.",
            "A folder is searched for *.test.yaml files; docs/testing-rules.md shows how to write one."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {
            "0:every test passed",
            "1:a test failed, or with --all-rules no test met some rule",
            "2:a file has errors, or wrong arguments",
            "3:no such file, or no test in the folder"
        },
        footer = {"", "Example: weir test examples --coverage", "         weir test rules --junit target/rules.xml"})
public final class TestCommand implements Callable<Integer> {
    private static final long POLL_MILLIS = 250;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|DIR",
            description = "Test files, or folders with *.test.yaml files; - for standard input.")
    private List<Path> sources = List.of();

    @Option(names = "--junit", paramLabel = "FILE", description = "Write the results as JUnit XML too.")
    private @Nullable Path junit;

    @Option(names = "--coverage", description = "Show for every rule how many requests met it, and how many it denied.")
    private boolean coverage;

    @Option(names = "--all-rules", description = "Fail if no test met some rule.")
    private boolean allRules;

    @Option(names = "--watch", description = "Run again whenever a test or a rule changes, until interrupted.")
    private boolean watch;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings file (weir.yaml) that says how the server reads rules.")
    private @Nullable Path config;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        // Counters are found by a seeded hash: a fixed seed makes a run repeatable.
        System.setProperty("weir.hash-seed", "1");
        LoadOptions options = options();
        if (watch && sources.stream().anyMatch(InputFile::isStandardInput)) {
            throw new CommandException("--watch: standard input cannot be watched (expected: files)");
        }
        if (!watch) {
            return run(read(options));
        }
        return watched(options);
    }

    private LoadOptions options() throws CommandException {
        if (config == null) {
            return LoadOptions.DEFAULT;
        }
        try {
            return SettingsReader.ruleOptions(config);
        } catch (SettingsException e) {
            throw new CommandException(String.valueOf(e.getMessage()));
        }
    }

    private List<PolicyFile> read(LoadOptions options) throws CommandException {
        List<PolicyFile> files = new ArrayList<>();
        for (Path each : paths()) {
            files.add(
                    InputFile.isStandardInput(each)
                            ? PolicyFileReader.read(
                                    InputFile.STANDARD_INPUT,
                                    InputFile.read(null),
                                    Path.of(InputFile.STANDARD_INPUT),
                                    options)
                            : PolicyFileReader.read(each, options));
        }
        return files;
    }

    private Set<Path> paths() throws CommandException {
        Set<Path> paths = new LinkedHashSet<>();
        for (Path each : sources) {
            try {
                paths.addAll(InputFile.isStandardInput(each) ? List.of(each) : PolicyPaths.at(each));
            } catch (NoSuchFileException e) {
                String why = e.getReason() == null ? "no such file" : e.getReason();
                throw new CommandException(ExitCodes.NOT_FOUND, each + ": " + why);
            } catch (IOException e) {
                throw new CommandException(each + " cannot be read: " + FileErrors.why(e));
            }
        }
        return paths;
    }

    private int run(List<PolicyFile> files) throws CommandException {
        List<PolicySuite> suites = files.stream().map(PolicySuite::run).toList();
        PrintWriter out = spec.commandLine().getOut();
        TestReport report = new TestReport(suites);
        report.print(out, spec.commandLine().getErr(), coverage);
        out.flush();
        if (junit != null) {
            write(junit, JUnitXml.of(suites));
        }
        if (files.stream().anyMatch(PolicyFile::isWrong)) {
            return ExitCodes.USAGE;
        }
        return report.hasFailed() || (allRules && report.hasUnmetRules()) ? ExitCodes.NO : ExitCodes.YES;
    }

    private static void write(Path file, String text) throws CommandException {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new CommandException(file + ": cannot be written (" + FileErrors.why(e) + ")");
        }
    }

    /** Runs, and runs again after each change; ends only if a path given does not exist at the start. */
    private int watched(LoadOptions options) throws CommandException {
        PrintWriter out = spec.commandLine().getOut();
        List<PolicyFile> files = read(options);
        String seen = "";
        while (true) {
            try {
                if (!fingerprint(files).equals(seen)) {
                    files = read(options);
                    seen = fingerprint(files);
                    run(files);
                    out.println();
                    out.println("waiting for a change; Ctrl-C ends");
                    out.flush();
                }
            } catch (CommandException e) {
                seen = ""; // an editor may have moved the file away for a moment
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return ExitCodes.YES;
            }
        }
    }

    /** Equal if the contents of all test files, and of the rules that they name, are equal. */
    private String fingerprint(List<PolicyFile> files) throws CommandException {
        List<Path> all = new ArrayList<>(paths());
        files.forEach(each -> all.addAll(each.sources()));
        return RulePaths.at(all).read().fingerprint();
    }
}
