package dev.weir.server.command;

import dev.weir.server.command.ban.BanCommand;
import dev.weir.server.command.bench.BenchCommand;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.command.policy.TestCommand;
import dev.weir.server.command.replay.ReplayCommand;
import dev.weir.server.command.top.TopCommand;
import dev.weir.server.completion.CompletionCommand;
import dev.weir.server.log.Logs;
import dev.weir.server.memory.DirectMemory;
import dev.weir.server.settings.Version;
import dev.weir.server.terminal.HelpPage;
import dev.weir.server.terminal.UsageErrors;
import dev.weir.server.tls.Renegotiation;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The whole command:
 * {@code weir serve | health | status | top | check | explain | counter | validate | test | simulate | bench | rules | quota |
 * switch | ban | audit | token | backup | recover | version | completion | help}.
 */
@Command(
        name = "weir",
        description = "A rate limiter: Envoy's rate limit service, a REST API and rules in YAML.",
        mixinStandardHelpOptions = true,
        versionProvider = WeirCommand.Versions.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Start here: weir serve", "Help for a command: weir COMMAND --help"})
public final class WeirCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    public static void main(String[] arguments) {
        Logs.outliveShutdown();
        Renegotiation.refuse();
        if (arguments.length > 0 && arguments[0].equals("serve")) {
            DirectMemory.prepare();
        }
        System.exit(commandLine(System.getenv(), arguments).execute(arguments));
    }

    /** Creates the command with all its subcommands; {@code serve} reads {@code environment}. */
    static CommandLine commandLine(Map<String, String> environment) {
        return commandLine(environment, new String[0]);
    }

    /**
     * Creates the command for {@code arguments}. If they begin with a subcommand, only that one is made: to make all of
     * them takes longer than most commands run.
     */
    static CommandLine commandLine(Map<String, String> environment, String[] arguments) {
        Map<String, Supplier<?>> all = subcommands(environment);
        CommandLine weir = new CommandLine(new WeirCommand());
        Supplier<?> only = arguments.length == 0 ? null : all.get(arguments[0]);
        (only == null ? all.values() : List.of(only)).forEach(each -> weir.addSubcommand(each.get()));
        if (only == null) {
            weir.addSubcommand(new CompletionCommand());
            weir.addSubcommand(new HelpCommand());
        }
        weir.setHelpFactory(HelpPage::new);
        weir.setParameterExceptionHandler((mistake, given) -> UsageErrors.explain(mistake));
        weir.setExecutionExceptionHandler((failure, command, parsed) -> explain(failure, command));
        return weir;
    }

    /** The subcommands by name. Completion and help are not among them: they need all the others. */
    private static Map<String, Supplier<?>> subcommands(Map<String, String> environment) {
        Map<String, Supplier<?>> all = new LinkedHashMap<>();
        all.put("serve", () -> ServeCommand.commandLine(environment));
        all.put("health", HealthCommand::new);
        all.put("status", StatusCommand::new);
        all.put("top", TopCommand::new);
        all.put("check", CheckCommand::new);
        all.put("explain", ExplainCommand::new);
        all.put("counter", CounterCommand::new);
        all.put("validate", ValidateCommand::new);
        all.put("test", TestCommand::new);
        all.put("simulate", SimulateCommand::new);
        all.put("replay", () -> new ReplayCommand(environment));
        all.put("bench", BenchCommand::new);
        all.put("rules", RulesCommand::new);
        all.put("quota", QuotaCommand::new);
        all.put("switch", SwitchCommand::new);
        all.put("ban", BanCommand::new);
        all.put("audit", AuditCommand::new);
        all.put("token", TokenCommand::new);
        all.put("backup", RecoverCommand.Backup::new);
        all.put("recover", RecoverCommand::new);
        all.put("version", VersionCommand::new);
        return all;
    }

    /** Without a subcommand: lists the commands and fails. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "missing command");
    }

    /** Prints the message of an expected failure. Any other failure is a bug, and its stack trace is wanted. */
    private static int explain(Exception failure, CommandLine command) {
        PrintWriter err = command.getErr();
        int exitCode = ExitCodes.USAGE;
        if (failure instanceof CommandException expected) {
            err.println("weir: " + failure.getMessage());
            exitCode = expected.exitCode();
        } else {
            err.println("weir: internal error; please report it:");
            failure.printStackTrace(err);
        }
        err.flush();
        return exitCode;
    }

    /** Prints the version, as {@code --version} does. */
    @Command(
            name = "version",
            description = "Print the version of Weir and of Java.",
            mixinStandardHelpOptions = true,
            versionProvider = Versions.class)
    static final class VersionCommand implements Runnable {
        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private CommandSpec spec;

        @Override
        public void run() {
            spec.commandLine().printVersionHelp(spec.commandLine().getOut());
        }
    }

    static final class Versions implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"weir " + Version.current(), "Java " + Version.java()};
        }
    }
}
