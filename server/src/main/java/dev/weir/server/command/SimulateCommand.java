package dev.weir.server.command;

import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.command.client.InputFile;
import dev.weir.server.terminal.TextTable;
import dev.weir.simulation.RunResult;
import dev.weir.simulation.Simulation;
import dev.weir.simulation.accuracy.SlidingWindowAccuracy;
import dev.weir.simulation.output.FleetPlot;
import dev.weir.simulation.output.SummaryTable;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.scenario.ScenarioReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a simulated fleet in this process on virtual time, and prints the results. */
@Command(
        name = "simulate",
        description =
                "Simulate a fleet on virtual time: requests passed and wrongly denied, and the load on the store.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {"0:every bound held", "1:a bound was broken", "2:the scenario is invalid", "3:no such file"},
        footer = {"", "Example: weir simulate simulation/scenarios/wandering-customer.yaml --out plots"})
final class SimulateCommand implements Callable<Integer> {
    /** The largest number of callers for which every caller's bound is checked. */
    private static final long MAX_CHECKED_CALLERS = 100_000;

    @Parameters(
            paramLabel = "SCENARIO.yaml",
            description = "Scenario to run; see docs/simulation.md; - for standard input.")
    private Path file = Path.of("");

    @Option(names = "--seed", paramLabel = "N", description = "Random seed, instead of the file's.")
    private @Nullable Long seed;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Folder for the plot SCENARIO.svg. Default: the current folder.")
    private Path out = Path.of("");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        // Counters are found by a seeded hash: a fixed seed makes a run repeatable.
        System.setProperty("weir.hash-seed", "1");
        PrintWriter err = spec.commandLine().getErr();
        String name = InputFile.isStandardInput(file) ? InputFile.STANDARD_INPUT : file.toString();
        ScenarioReader.Read read = ScenarioReader.read(name, InputFile.read(file));
        read.diagnostics().forEach(err::println);
        err.flush();
        Scenario scenario = read.scenario();
        if (scenario == null) {
            return ExitCodes.USAGE;
        }
        Scenario seeded = seed == null ? scenario : scenario.withSeed(seed);
        PrintWriter to = spec.commandLine().getOut();
        to.println(seeded.name() + " (seed " + seeded.seed() + ")");
        to.println();
        return seeded.measure() == Scenario.Measure.FLEET ? fleet(seeded, to) : accuracy(seeded, to);
    }

    private int fleet(Scenario scenario, PrintWriter to) throws CommandException {
        Map<String, RunResult> results = new LinkedHashMap<>();
        for (Scenario.Run run : scenario.runs()) {
            Progress progress = new Progress(spec.commandLine().getErr(), run.name());
            boolean checked = run.name().equals("weir") && scenario.callers() <= MAX_CHECKED_CALLERS;
            results.put(run.name(), new Simulation(scenario, run, checked).run(progress::at));
            progress.done();
        }
        print(SummaryTable.of(results), to);
        String name = InputFile.isStandardInput(file)
                ? "scenario"
                : file.getFileName().toString().replaceFirst("\\.ya?ml$", "");
        Path plot = out.resolve(name + ".svg");
        try {
            if (!out.toString().isEmpty()) {
                Files.createDirectories(out);
            }
            Files.writeString(plot, FleetPlot.of(scenario, results));
        } catch (IOException e) {
            throw new CommandException(plot + ": cannot be written (" + e.getMessage() + ")");
        }
        to.println();
        to.println("plot: " + plot.toAbsolutePath().normalize());
        boolean broken = false;
        for (RunResult each : results.values()) {
            for (String violation : each.violations()) {
                to.println("BOUND BROKEN (seed " + scenario.seed() + ") " + violation);
                broken = true;
            }
        }
        to.flush();
        return broken ? ExitCodes.NO : ExitCodes.YES;
    }

    private int accuracy(Scenario scenario, PrintWriter to) throws CommandException {
        List<Rule> rules = scenario.runs().get(0).rules().rules();
        Limit limit = rules.isEmpty() ? null : rules.get(0).limit();
        if (limit == null) {
            throw new CommandException(file + ": measure: sliding_window without a limit (expected: one rule)");
        }
        int windows = (int) Math.max(1, scenario.durationNanos() / (limit.windowMicros() * 1_000));
        Map<String, SlidingWindowAccuracy.Found> found = new LinkedHashMap<>();
        Progress progress = new Progress(spec.commandLine().getErr(), "traffic");
        for (int i = 0; i < scenario.traffic().size(); i++) {
            progress.at(i / (double) scenario.traffic().size());
            found.put(
                    scenario.traffic().get(i).name(),
                    SlidingWindowAccuracy.measure(scenario.traffic().get(i), limit, windows, scenario.seed()));
        }
        progress.done();
        print(SummaryTable.ofAccuracy(found), to);
        to.flush();
        return 0;
    }

    private static void print(List<List<String>> rows, PrintWriter to) {
        TextTable table = new TextTable(rows.get(0).toArray(new String[0]));
        rows.subList(1, rows.size()).forEach(each -> table.row(each.toArray(new String[0])));
        table.print(to);
    }

    /** Shows the progress of a run on a terminal. */
    private static final class Progress {
        private final PrintWriter err;
        private final String name;
        private final boolean shown = Boolean.getBoolean("weir.terminal");

        Progress(PrintWriter err, String name) {
            this.err = err;
            this.name = name;
        }

        void at(double share) {
            if (shown) {
                err.print("\r" + name + " " + Math.round(100 * share) + " % ");
                err.flush();
            }
        }

        void done() {
            if (shown) {
                err.print("\r ".repeat(name.length() + 8) + "\r");
                err.flush();
            }
        }
    }
}
