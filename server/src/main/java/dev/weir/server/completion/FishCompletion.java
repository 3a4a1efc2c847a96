package dev.weir.server.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Writes the completion of a command, its subcommands and their options for fish. */
final class FishCompletion {
    private FishCompletion() {}

    static String script(CommandLine root) {
        StringBuilder script = new StringBuilder();
        command(script, root, List.of());
        return script.toString();
    }

    /** Writes the lines of the command that {@code path} leads to, then those of its subcommands. */
    private static void command(StringBuilder script, CommandLine command, List<String> path) {
        Map<String, CommandLine> subcommands = command.getSubcommands();
        subcommands.forEach((name, each) -> line(script, path, subcommands, "-f -a " + quoted(name), about(each)));
        for (OptionSpec each : command.getCommandSpec().options()) {
            if (!each.hidden()) {
                line(script, path, Map.of(), flags(each), first(each.description()));
            }
        }
        subcommands.forEach((name, each) -> {
            // fish tells words apart, not levels: two levels are enough for every command of Weir.
            List<String> deeper = new ArrayList<>(path);
            deeper.add(name);
            command(script, each, deeper);
        });
    }

    private static void line(
            StringBuilder script, List<String> path, Map<String, CommandLine> unless, String what, String about) {
        StringBuilder when = new StringBuilder();
        for (String each : path) {
            when.append("__fish_seen_subcommand_from ").append(each).append("; and ");
        }
        if (!unless.isEmpty()) {
            when.append("not __fish_seen_subcommand_from ").append(String.join(" ", unless.keySet()));
        } else if (path.isEmpty()) {
            when.append("__fish_use_subcommand");
        } else {
            when.append("true");
        }
        script.append("complete -c weir -n ")
                .append(quoted(when.toString()))
                .append(' ')
                .append(what)
                .append(" -d ")
                .append(quoted(about))
                .append('\n');
    }

    private static String flags(OptionSpec option) {
        StringBuilder flags = new StringBuilder();
        for (String each : option.names()) {
            String name = each.replaceFirst("^-+", "");
            flags.append(each.startsWith("--") ? "-l " : "-s ").append(name).append(' ');
        }
        if (option.arity().max() == 0) {
            return flags.append("-f").toString();
        }
        Iterable<String> values = option.completionCandidates();
        return flags.append(values == null ? "-r" : "-x -a " + quoted(String.join(" ", values)))
                .toString();
    }

    private static String about(CommandLine command) {
        return first(command.getCommandSpec().usageMessage().description());
    }

    private static String first(String[] description) {
        return description.length == 0 ? "" : description[0];
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
