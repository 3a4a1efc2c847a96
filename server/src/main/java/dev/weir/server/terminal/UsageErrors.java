package dev.weir.server.terminal;

import java.io.PrintWriter;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Explains invalid arguments: the mistake, a suggestion, and where to read on. */
public final class UsageErrors {
    private static final Pattern RULES = Pattern.compile(".*\\.ya?ml");

    private UsageErrors() {}

    public static int explain(ParameterException mistake) {
        CommandLine command = mistake.getCommandLine();
        PrintWriter err = command.getErr();
        String name = command.getCommandSpec().qualifiedName();
        err.println("weir: " + mistake.getMessage());
        if (!suggested(mistake, err)) {
            if (command.getSubcommands().isEmpty()) {
                err.println("Help: " + name + " --help");
            } else {
                command.usage(err); // short, and lists the subcommands
            }
        }
        err.flush();
        return CommandLine.ExitCode.USAGE;
    }

    private static boolean suggested(ParameterException mistake, PrintWriter err) {
        if (!(mistake instanceof UnmatchedArgumentException unmatched)) {
            return false;
        }
        List<String> left = unmatched.getUnmatched();
        if (mistake.getCommandLine().getCommandName().equals("serve")
                && !left.isEmpty()
                && RULES.matcher(left.get(0)).matches()) {
            err.println("Did you mean: weir serve --rules " + left.get(0) + "?");
            return true;
        }
        return UnmatchedArgumentException.printSuggestions(unmatched, err);
    }
}
