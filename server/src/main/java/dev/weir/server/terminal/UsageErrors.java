package dev.weir.server.terminal;

import dev.weir.text.message.Suggestion;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
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
        String unknown = unknownCommand(mistake);
        err.println("weir: " + (unknown == null ? message(mistake) : "unknown command: " + unknown));
        if (lacksParameter(mistake)) {
            err.println("Expected: " + name + " "
                    + command.getCommandSpec().positionalParameters().stream()
                            .map(each -> each.paramLabel() + (each.arity().isVariable() ? "…" : ""))
                            .collect(Collectors.joining(" ")));
        }
        if (!suggested(mistake, unknown, err)) {
            if (command.getSubcommands().isEmpty()) {
                err.println("Help: " + name + " --help");
            } else {
                command.usage(err); // short, and lists the subcommands
            }
        }
        err.flush();
        return CommandLine.ExitCode.USAGE;
    }

    /** picocli's message; for a word that is none of a few, one in the form of all others. */
    private static String message(ParameterException mistake) {
        ArgSpec argument = mistake.getArgSpec();
        if (argument == null || !argument.type().isEnum() || mistake.getValue() == null) {
            return String.valueOf(mistake.getMessage());
        }
        List<String> known = Arrays.stream(argument.type().getEnumConstants())
                .map(String::valueOf)
                .toList();
        String name = argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
        return name + ": \"" + mistake.getValue() + "\" (" + Suggestion.among(mistake.getValue(), known) + ")";
    }

    /** Whether a parameter that is known by its place is missing: the one that is told may be another than was forgotten. */
    private static boolean lacksParameter(ParameterException mistake) {
        return mistake instanceof MissingParameterException missing
                && missing.getMissing().stream().anyMatch(ArgSpec::isPositional);
    }

    /** The word that stands where {@code mistake}'s command expects one of its subcommands; null if there is none. */
    private static @Nullable String unknownCommand(ParameterException mistake) {
        return mistake instanceof UnmatchedArgumentException unmatched
                        && !mistake.getCommandLine().getSubcommands().isEmpty()
                        && !unmatched.getUnmatched().isEmpty()
                        && !unmatched.getUnmatched().get(0).startsWith("-")
                ? unmatched.getUnmatched().get(0)
                : null;
    }

    private static boolean suggested(ParameterException mistake, @Nullable String unknown, PrintWriter err) {
        if (unknown != null) {
            // Not picocli's own suggestions: those are any commands that share a few letters, "reset" among them.
            CommandLine command = mistake.getCommandLine();
            String meant = Suggestion.nearest(unknown, command.getSubcommands().keySet());
            if (meant != null) {
                err.println("Did you mean: " + command.getCommandSpec().qualifiedName() + " " + meant + "?");
            }
            return meant != null;
        }
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
        String option = left.isEmpty() ? null : meant(left.get(0), mistake.getCommandLine());
        if (option != null) {
            err.println("Did you mean: " + option + "?");
            return true;
        }
        return UnmatchedArgumentException.printSuggestions(unmatched, err);
    }

    /** The option of {@code command} that {@code given} is a typo of; null if there is none. */
    private static @Nullable String meant(String given, CommandLine command) {
        return !given.startsWith("--")
                ? null
                : Suggestion.nearest(
                        given.replaceFirst("=.*", ""),
                        command.getCommandSpec().optionsMap().keySet());
    }
}
