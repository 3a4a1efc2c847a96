package dev.weir.server.completion;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The scripts that complete the command line, run by the shell where it is installed. */
class CompletionCommandTest {
    @TempDir
    Path folder;

    @Command(name = "weir")
    static final class Root {
        @Command(name = "quota", description = "Callers' quotas.")
        void quota(
                @Option(names = "--tier", description = "A tier.") String tier,
                @Option(names = "--json") boolean json) {}
    }

    @Test
    void bashCompletesCommandsAndOptions() throws Exception {
        Path script = Files.writeString(folder.resolve("weir.bash"), script("bash"));
        assertThat(completed(script, "weir qu", "qu")).isEqualTo("quota");
        assertThat(completed(script, "weir quota --ti", "--ti")).isEqualTo("--tier");
    }

    @Test
    void zshTakesTheScriptOfBash() {
        assertThat(script("zsh")).isEqualTo(script("bash")).contains("bashcompinit");
    }

    @Test
    void fishLearnsEachCommandWithItsOptions() {
        assertThat(script("fish"))
                .contains("complete -c weir -n 'not __fish_seen_subcommand_from quota completion' -f -a 'quota'"
                        + " -d 'Callers\\' quotas.'\n")
                .contains("complete -c weir -n '__fish_seen_subcommand_from quota; and true' -l tier -r -d 'A tier.'\n")
                .contains("-l json -f -d ''\n");
    }

    private static String completed(Path script, String line, String word) throws Exception {
        String ask = "source '" + script + "'; COMP_WORDS=(" + line + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1));"
                + " COMP_LINE='" + line + "'; COMP_POINT=${#COMP_LINE};"
                + " _complete_weir weir '" + word + "'; echo \"${COMPREPLY[@]}\"";
        Process bash = new ProcessBuilder("bash", "-c", ask)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).as(said).isZero();
        return said.strip();
    }

    private static String script(String shell) {
        StringWriter out = new StringWriter();
        int code = new CommandLine(new Root())
                .addSubcommand(new CompletionCommand())
                .setOut(new PrintWriter(out, true))
                .execute("completion", shell);
        assertThat(code).isZero();
        return out.toString();
    }
}
