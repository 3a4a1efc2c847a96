package dev.weir.server.completion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.ExternalPrograms;
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

    enum State {
        on,
        off
    }

    @Command(name = "weir")
    static final class Root {
        @Command(name = "quota", description = "Callers' quotas.")
        void quota(
                @Option(names = "--tier", description = "A tier.") String tier,
                @Option(names = "--state", description = "A state.") State state,
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

    @Test
    void zshRegistersIt() throws Exception {
        Path zsh = ExternalPrograms.program("zsh");
        Path script = Files.writeString(folder.resolve("weir.zsh"), script("zsh"));
        String ask = "autoload -Uz compinit && compinit -u -d '" + folder.resolve("dump") + "'; source '" + script
                + "'; print -r -- \"${_comps[weir]}\"";
        assertThat(said(zsh.toString(), "-f", "-c", ask)).contains("_complete_weir");
    }

    @Test
    void fishCompletesCommandsOptionsAndValues() throws Exception {
        Path fish = ExternalPrograms.program("fish");
        Path script = Files.writeString(folder.resolve("weir.fish"), script("fish"));
        String ask = "source '" + script + "'; complete -C '%s'";
        assertThat(said(fish.toString(), "--no-config", "-c", ask.formatted("weir qu")))
                .isEqualTo("quota\tCallers' quotas.");
        assertThat(said(fish.toString(), "--no-config", "-c", ask.formatted("weir quota --ti")))
                .isEqualTo("--tier\tA tier.");
        assertThat(said(fish.toString(), "--no-config", "-c", ask.formatted("weir quota --state o"))
                        .lines())
                .containsExactlyInAnyOrder("on\tA state.", "off\tA state.");
    }

    private String said(String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("HOME", folder.toString());
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.strip();
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
