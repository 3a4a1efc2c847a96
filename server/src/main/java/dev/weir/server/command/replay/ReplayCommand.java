package dev.weir.server.command.replay;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.control.decisions.IdentityHash;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.command.client.InputFile;
import dev.weir.server.replay.LimitSearch;
import dev.weir.server.replay.ReplayException;
import dev.weir.server.replay.ReplayResult;
import dev.weir.server.replay.ReplayRun;
import dev.weir.server.replay.RuleSetRun;
import dev.weir.server.replay.input.AttributeMapping;
import dev.weir.server.replay.input.TrafficInput;
import dev.weir.server.settings.SettingsException;
import dev.weir.server.settings.SettingsReader;
import dev.weir.text.message.FileErrors;
import dev.weir.text.message.Suggestion;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Replays recorded traffic in this process on virtual time. */
@Command(
        name = "replay",
        description = {
            "Decide recorded traffic again by other rules: how many requests and callers would they have denied?",
            "Reads files of the decision sink (decisions_requests), access logs of Envoy and nginx, and CSV."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {
            "0:replayed",
            "1:with --expect-same: a decision differs",
            "2:wrong arguments, rules with errors, or no line that can be read",
            "3:no such file"
        },
        footer = {
            "",
            "Example: weir replay decisions.jsonl --rules new.yaml --against rules.yaml",
            "         weir replay access.log --format nginx --rules rules.yaml --suggest 1"
        })
public final class ReplayCommand implements Callable<Integer> {
    private final Map<String, String> environment;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|DIR",
            description = "Recorded traffic, also as *.gz; a folder is searched for *.jsonl, *.csv and *.log; - for"
                    + " standard input.")
    private List<Path> sources = List.of();

    @Option(
            names = "--rules",
            required = true,
            paramLabel = "PATH",
            description = "Rules to decide by: files or folders, the option once for each.")
    private List<Path> rules = List.of();

    @Option(
            names = "--against",
            paramLabel = "PATH",
            description = "Rules to compare with; without them, with the decisions that were recorded.")
    private List<Path> against = List.of();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "recorded, csv, nginx, envoy, or the log format that is set in the proxy. Default: detected"
                    + " from the file.",
            defaultValue = "auto")
    private String format = "";

    @Option(
            names = "--attribute",
            paramLabel = "NAME=FIELD",
            description = "An attribute of requests in logs and CSV: user_id=$http_x_user. Without a field, it is left"
                    + " out.")
    private Map<String, String> attributes = new LinkedHashMap<>();

    @Option(names = "--domain", paramLabel = "DOMAIN", description = "Domain of requests whose line names none.")
    private @Nullable String domain;

    @Option(names = "--hash", description = "Show callers of logs and CSV as the decision sink would: as hashes.")
    private boolean hashed;

    @Option(
            names = "--suggest",
            paramLabel = "P",
            description =
                    "For each rule and tier, the lowest limit that would have denied at most P %% of the callers.")
    private @Nullable Double suggest;

    @Option(
            names = "--callers",
            paramLabel = "N",
            description = "How many callers to show. Default: 20.",
            defaultValue = "20")
    private int callers;

    @Option(names = "--expect-same", description = "Fail if any decision differs from what it is compared with.")
    private boolean expectSame;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Option(names = "--svg", paramLabel = "FILE", description = "Write a plot of the denials over time.")
    private @Nullable Path svg;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings file (weir.yaml): how the server reads rules, and decisions_secret.")
    private @Nullable Path config;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Creates the command; {@code environment} may have the secret of the hash. */
    public ReplayCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws CommandException {
        // Counters are found by a seeded hash: a fixed seed makes a run repeatable.
        System.setProperty("weir.hash-seed", "1");
        if (suggest != null && !(suggest >= 0 && suggest <= 100)) {
            throw wrong("--suggest: " + suggest + " (expected: a percentage from 0 to 100)");
        }
        if (callers < 0 || callers > 100_000) {
            throw wrong("--callers: " + callers + " (expected: 0 to 100000)");
        }
        LoadOptions options = options();
        IdentityHash hash = new IdentityHash(secret());
        RuleSetRun now = load(rules, options, hash);
        RuleSetRun before = against.isEmpty() ? null : load(against, options, hash);
        LimitSearch search = suggest == null ? null : new LimitSearch();
        AttributeMapping mapping =
                new AttributeMapping(domain(now.rules()), attributes, hashed ? new IdentityHash(secret()) : null);
        long start = System.nanoTime();
        try (TrafficInput input = new TrafficInput(format, mapping)) {
            open(input);
            ReplayResult result = new ReplayRun(input, now, before, search, hash).run();
            input.problems().forEach(spec.commandLine().getErr()::println);
            if (result.totals().lines() == 0) {
                throw new CommandException("no request in the traffic"
                        + (input.unreadable() > 0
                                ? " that can be read"
                                : " (expected: lines written with decisions_requests: all or sample)"));
            }
            print(result, search, (System.nanoTime() - start) / 1e9);
            boolean same = result.totals().more() + result.totals().fewer() == 0;
            return expectSame && !same ? ExitCodes.NO : ExitCodes.YES;
        } catch (ReplayException | IllegalArgumentException e) {
            throw new CommandException(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new CommandException("the traffic cannot be read: " + FileErrors.why(e));
        }
    }

    private void print(ReplayResult result, @Nullable LimitSearch search, double seconds) throws CommandException {
        PrintWriter out = spec.commandLine().getOut();
        List<LimitSearch.Suggestion> suggestions =
                search == null || suggest == null ? List.of() : search.suggest(suggest);
        if (json) {
            out.println(new ReplayJson(result)
                    .of(callers, suggest, suggestions, seconds)
                    .encode());
        } else {
            ReplayReport report = new ReplayReport(result, out);
            report.print(callers);
            if (search != null && suggest != null) {
                report.suggestions(suggestions, suggest, search.isEstimate());
            }
        }
        out.flush();
        if (svg != null) {
            write(svg, ReplayPlot.of(result));
        }
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

    private @Nullable String secret() throws CommandException {
        try {
            return SettingsReader.decisionSecret(config, environment);
        } catch (SettingsException e) {
            throw new CommandException(String.valueOf(e.getMessage()));
        }
    }

    private RuleSetRun load(List<Path> paths, LoadOptions options, IdentityHash hash) throws CommandException {
        for (Path each : paths) {
            if (!Files.exists(each)) {
                throw new CommandException(ExitCodes.NOT_FOUND, each + ": no such file");
            }
        }
        LoadResult loaded = RuleLoader.loadAll(paths, options);
        WrittenRules found = loaded.rules();
        if (found == null) {
            throw new CommandException("the rules have errors:\n"
                    + loaded.errors().stream().map(String::valueOf).collect(Collectors.joining("\n")));
        }
        EndpointForm form = options.endpointForm();
        String name = paths.stream().map(String::valueOf).collect(Collectors.joining(", "));
        return new RuleSetRun(name, found, form, hash);
    }

    /** The domain of requests whose line names none: the one that was given, or the only one of the rules. */
    private String domain(WrittenRules found) {
        List<String> known = found.domains();
        String given = domain;
        if (given == null) {
            return known.size() == 1 ? known.get(0) : "";
        }
        if (!known.contains(given)) {
            String hint = Suggestion.among(given, known);
            throw wrong("--domain: " + quote(given) + (hint.isEmpty() ? "" : " (" + hint + ")"));
        }
        return given;
    }

    private void open(TrafficInput input) throws CommandException {
        for (Path source : sources) {
            try {
                if (InputFile.isStandardInput(source)) {
                    input.add(TrafficInput.STANDARD_INPUT, System.in);
                    continue;
                }
                for (Path file : TrafficInput.files(source)) {
                    input.add(file);
                }
            } catch (NoSuchFileException e) {
                String why = e.getReason() == null ? "no such file" : e.getReason();
                throw new CommandException(ExitCodes.NOT_FOUND, source + ": " + why);
            } catch (IOException e) {
                throw InputFile.unreadable(source.toString(), e);
            }
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static void write(Path file, String text) throws CommandException {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new CommandException(file + ": cannot be written (" + FileErrors.why(e) + ")");
        }
    }
}
