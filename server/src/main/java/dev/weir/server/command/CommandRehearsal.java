package dev.weir.server.command;

import dev.weir.rules.internal.load.RuleLoader;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Runs commands against a server in this process, so that the archive of classes that the JVM writes at its end has
 * theirs too. The outcome does not matter.
 */
final class CommandRehearsal {
    private static final List<String> REQUEST = List.of("api", "user_id=u_42", "endpoint=/v1/charges");

    private CommandRehearsal() {}

    static void run(String http, String admin) {
        run(List.of("version"));
        run(List.of("help"));
        run(List.of("health", "--url", http));
        run(with(List.of("check", "--url", http), REQUEST));
        for (List<String> each : List.of(
                List.of("status"),
                List.of("status", admin),
                List.of("rules", "list"),
                List.of("quota", "list"),
                List.of("switch"),
                List.of("audit", "list"),
                List.of("token", "list"),
                with(List.of("explain"), REQUEST),
                with(List.of("counter", "get"), REQUEST))) {
            run(with(each, List.of("--admin", admin)));
        }
        InputStream terminal = System.in;
        System.setIn(new ByteArrayInputStream(RuleLoader.exampleText().getBytes(StandardCharsets.UTF_8)));
        run(List.of("validate", "-"));
        System.setIn(terminal);
    }

    private static void run(List<String> arguments) {
        String[] words = arguments.toArray(String[]::new);
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        int unused = WeirCommand.commandLine(Map.of(), words)
                .setOut(nowhere)
                .setErr(nowhere)
                .execute(words);
    }

    private static List<String> with(List<String> words, List<String> more) {
        return Stream.concat(words.stream(), more.stream()).toList();
    }
}
