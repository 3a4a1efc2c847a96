package dev.weir.server.command;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tests that use the {@code weir} command as a person at a terminal does: what the last one said is in {@code out} and {@code err}. */
abstract class AtTheTerminal {
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    /** Runs the command with these arguments; its exit code. */
    final int execute(List<String> arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return WeirCommand.commandLine(Map.of())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments.toArray(String[]::new));
    }

    /** The same of a command that speaks to the admin port at {@code url}. */
    final int executeAt(String url, String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--admin", url));
        return execute(all);
    }
}
