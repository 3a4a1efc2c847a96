package dev.weir.server.command.client;

import dev.weir.server.terminal.TextTable;
import java.io.PrintWriter;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command with subcommands that call a running server. */
public abstract class AdminCommandGroup implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public final void run() {
        String expected = spec.subcommands().keySet().stream()
                .collect(Collectors.joining(" or ", "missing subcommand (expected: ", ")"));
        throw new ParameterException(spec.commandLine(), expected);
    }

    public final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    public final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** Prints a line and returns exit code 0. */
    public final int print(String line) {
        out().println(line);
        out().flush();
        return 0;
    }

    /** Prints a table and returns exit code 0. */
    public final int print(TextTable table) {
        table.print(out());
        out().flush();
        return 0;
    }
}
