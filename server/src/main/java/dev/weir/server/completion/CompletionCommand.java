package dev.weir.server.completion;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the script that completes commands and options in a shell. */
@Command(
        name = "completion",
        description = "Print the script that completes commands and options in a shell.",
        mixinStandardHelpOptions = true,
        footer = {"", "bash and zsh: eval \"$(weir completion bash)\"", "fish:         weir completion fish | source"})
public final class CompletionCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SHELL", description = "One of: ${COMPLETION-CANDIDATES}.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Shell shell;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    // The constants are the words of the command line.
    @SuppressWarnings("UnusedVariable") // picocli sets each by its name
    private enum Shell {
        bash,
        zsh,
        fish
    }

    @Override
    public Integer call() {
        CommandLine root = spec.root().commandLine();
        PrintWriter out = spec.commandLine().getOut();
        // The script for bash prepares zsh by itself.
        out.print(shell == Shell.fish ? FishCompletion.script(root) : AutoComplete.bash("weir", root));
        out.flush();
        return 0;
    }
}
