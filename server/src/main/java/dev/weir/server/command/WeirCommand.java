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
        CommandLine weir = new CommandLine(new WeirCommand());
        subcommands(environment).values().forEach(each -> weir.addSubcommand(each.made()));
        return finished(weir, true);
    }

    /**
     * Creates the command for {@code arguments}, with only the subcommand that they name. To make all of them takes longer
     * than most commands run; the list of commands needs only their descriptions.
     */
    static CommandLine commandLine(Map<String, String> environment, String[] arguments) {
        boolean help = arguments.length > 0 && arguments[0].equals("help");
        String named = arguments.length > (help ? 1 : 0) ? arguments[help ? 1 : 0] : "";
        if (named.equals("completion")) {
            return commandLine(environment); // its script has the options of all commands
        }
        Map<String, Subcommand> all = subcommands(environment);
        Subcommand only = all.get(named);
        CommandLine weir = new CommandLine(new WeirCommand());
        if (only == null) {
            all.forEach((name, each) -> weir.addSubcommand(name, each.outline()));
        } else {
            weir.addSubcommand(only.made());
        }
        return finished(weir, only == null || help);
    }

    /** Adds the subcommands that need the others, if {@code listed}, and what holds for all. */
    private static CommandLine finished(CommandLine weir, boolean listed) {
        if (listed) {
            weir.addSubcommand(new CompletionCommand());
            weir.addSubcommand(new HelpCommand());
        }
        weir.setHelpFactory(HelpPage::new);
        weir.setParameterExceptionHandler((mistake, given) -> UsageErrors.explain(mistake));
        weir.setExecutionExceptionHandler((failure, command, parsed) -> explain(failure, command));
        return weir;
    }

    /** A subcommand that is made when it is needed. */
    private record Subcommand(Class<?> type, Supplier<?> maker) {
        Object made() {
            return maker.get();
        }

        /** Returns the command without its options and arguments, for a list of commands. */
        CommandSpec outline() {
            CommandSpec outline = CommandSpec.create();
            Command described = type.getAnnotation(Command.class);
            if (described != null) {
                outline.usageMessage().description(described.description());
            }
            return outline;
        }
    }

    /** The subcommands by name. Completion and help are not among them: they need all the others. */
    private static Map<String, Subcommand> subcommands(Map<String, String> environment) {
        Map<String, Subcommand> all = new LinkedHashMap<>();
        all.put("serve", new Subcommand(ServeCommand.class, () -> ServeCommand.commandLine(environment)));
        all.put("health", new Subcommand(HealthCommand.class, HealthCommand::new));
        all.put("status", new Subcommand(StatusCommand.class, StatusCommand::new));
        all.put("top", new Subcommand(TopCommand.class, TopCommand::new));
        all.put("check", new Subcommand(CheckCommand.class, CheckCommand::new));
        all.put("explain", new Subcommand(ExplainCommand.class, ExplainCommand::new));
        all.put("counter", new Subcommand(CounterCommand.class, CounterCommand::new));
        all.put("validate", new Subcommand(ValidateCommand.class, ValidateCommand::new));
        all.put("test", new Subcommand(TestCommand.class, TestCommand::new));
        all.put("simulate", new Subcommand(SimulateCommand.class, SimulateCommand::new));
        all.put("replay", new Subcommand(ReplayCommand.class, () -> new ReplayCommand(environment)));
        all.put("bench", new Subcommand(BenchCommand.class, BenchCommand::new));
        all.put("rules", new Subcommand(RulesCommand.class, RulesCommand::new));
        all.put("quota", new Subcommand(QuotaCommand.class, QuotaCommand::new));
        all.put("switch", new Subcommand(SwitchCommand.class, SwitchCommand::new));
        all.put("ban", new Subcommand(BanCommand.class, BanCommand::new));
        all.put("audit", new Subcommand(AuditCommand.class, AuditCommand::new));
        all.put("token", new Subcommand(TokenCommand.class, TokenCommand::new));
        all.put("backup", new Subcommand(RecoverCommand.Backup.class, RecoverCommand.Backup::new));
        all.put("recover", new Subcommand(RecoverCommand.class, RecoverCommand::new));
        all.put("version", new Subcommand(VersionCommand.class, VersionCommand::new));
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
