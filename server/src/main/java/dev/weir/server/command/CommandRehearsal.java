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

    /** In Envoy's format, which takes other classes. */
    private static final String ENVOY_RULES = """
            domain: rehearsal
            descriptors:
              - key: generic_key
                value: all
                rate_limit: { unit: minute, requests_per_unit: 30 }
                descriptors:
                  - { key: path, rate_limit: { unit: second, requests_per_unit: 1 } }
            """;

    private static final String WRONG_RULES = """
            domain: rehearsal
            rules:
              - name: misspelt
                limt: { requests: 1, window: 1m }
              - name: login
                match: { endpoint: "POST /login" }
                key_by: ip
                limit: { requests: 5, window: 1x, algorithm: token_buket }
            """;

    private CommandRehearsal() {}

    static void run(String http, String admin) {
        run(List.of("version"));
        run(List.of("help"));
        run(List.of("health", "--url", http));
        run(with(List.of("check", "--url", http), REQUEST));
        for (List<String> each : List.of(
                List.of("status"),
                List.of("status", admin),
                List.of("top", "--once"),
                List.of("rules", "list"),
                List.of("quota", "list"),
                List.of("switch"),
                List.of("audit", "list"),
                List.of("token", "list"),
                List.of("ban", "list"),
                List.of("ban", "add", "ip=192.0.2.1", "--for", "1m", "--reason", "rehearsal"),
                List.of("ban", "remove", "ip=192.0.2.1"),
                with(List.of("explain"), REQUEST),
                with(List.of("counter", "get"), REQUEST))) {
            run(with(each, List.of("--admin", admin)));
        }
        run(List.of("check", "--help"));
        run(List.of("ban", "--hlep"));
        validate(RuleLoader.exampleText());
        validate(ENVOY_RULES);
        validate(WRONG_RULES);
    }

    private static void validate(String rules) {
        InputStream terminal = System.in;
        System.setIn(new ByteArrayInputStream(rules.getBytes(StandardCharsets.UTF_8)));
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
