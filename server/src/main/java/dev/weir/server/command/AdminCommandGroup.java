package dev.weir.server.command;

import java.io.PrintWriter;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command of several, all of which speak to a running server. */
abstract class AdminCommandGroup implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public final void run() {
        String which = spec.subcommands().keySet().stream().collect(Collectors.joining(" or ", "", "?"));
        throw new ParameterException(spec.commandLine(), which);
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** Says one line, and ends well. */
    final int said(String line) {
        out().println(line);
        out().flush();
        return 0;
    }

    /** Shows a table, and ends well. */
    final int said(TextTable table) {
        table.print(out());
        out().flush();
        return 0;
    }
}
