package dev.weir.server.command;

import dev.weir.server.log.Logs;
import dev.weir.server.memory.DirectMemory;
import dev.weir.server.settings.Version;
import dev.weir.server.tls.Renegotiation;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The whole command:
 * {@code weir serve | health | check | explain | counter | validate | simulate | rules | quota | switch | audit | token |
 * backup | recover}.
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
        System.exit(commandLine(System.getenv()).execute(arguments));
    }

    /** Creates the command, which reads {@code environment}. */
    static CommandLine commandLine(Map<String, String> environment) {
        CommandLine weir = new CommandLine(new WeirCommand());
        weir.addSubcommand(ServeCommand.commandLine(environment));
        weir.addSubcommand(new HealthCommand());
        weir.addSubcommand(new CheckCommand());
        weir.addSubcommand(new ExplainCommand());
        weir.addSubcommand(new CounterCommand());
        weir.addSubcommand(new ValidateCommand());
        weir.addSubcommand(new SimulateCommand());
        weir.addSubcommand(new RulesCommand());
        weir.addSubcommand(new QuotaCommand());
        weir.addSubcommand(new SwitchCommand());
        weir.addSubcommand(new AuditCommand());
        weir.addSubcommand(new TokenCommand());
        weir.addSubcommand(new RecoverCommand.Backup());
        weir.addSubcommand(new RecoverCommand());
        weir.setHelpFactory(HelpPage::new);
        weir.setParameterExceptionHandler((mistake, arguments) -> UsageErrors.explain(mistake));
        weir.setExecutionExceptionHandler((failure, command, parsed) -> explain(failure, command));
        return weir;
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

    static final class Versions implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"weir " + Version.current(), "Java " + Version.java()};
        }
    }
}
