package dev.weir.text.yaml;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import java.util.List;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;

/**
 * Explains YAML syntax errors. The parser's messages speak of its tokens and point at where it gave up. For common
 * mistakes this class has its own messages, at the position to correct.
 */
final class YamlSyntaxErrors {
    static final String QUOTES = "a text that begins with * needs quotes";

    /** The parser's words for a document that ended too early. */
    private static final List<String> ENDS = List.of(
            "end of stream",
            "document separator",
            "<stream end>",
            "'<stream end>'",
            "<document start>",
            "<document end>");

    private YamlSyntaxErrors() {}

    static void report(MarkedYamlEngineException e, DiagnosticCollector problems) {
        String problem = String.valueOf(e.getProblem());
        String context = e.getContext() == null ? "" : e.getContext();
        Position began = e.getContextMark().map(YamlReader::position).orElse(Position.FILE);
        Position at = e.getProblemMark().map(YamlReader::position).orElse(began);
        if (problem.contains("'\\t(TAB)'")) {
            problems.error(at, "a tab", "YAML indents with spaces");
        } else if (problem.startsWith("found character '")) {
            String character = problem.substring(16, problem.indexOf('\'', 18) + 1);
            problems.error(at, "a text cannot begin with " + character, "write it in quotes");
        } else if (problem.startsWith("expected <block end>, but found ")) {
            afterBlock(problem.substring("expected <block end>, but found ".length()), at, problems);
        } else if (problem.startsWith("mapping values are not allowed")) {
            String hint =
                    "a text with a colon needs quotes; a colon and a dash need a space after them, also on the line"
                            + " before; else check the indentation";
            problems.error(at, "unexpected colon", hint);
        } else if (!context.isEmpty() && ENDS.stream().anyMatch(problem::endsWith)) {
            neverClosed(context, began, at, problems);
        } else if (context.equals("while scanning an alias")) {
            problems.error(began, "not a valid alias", QUOTES);
        } else if (context.equals("while scanning a simple key")) {
            problems.error(began, "a key without a colon after it");
        } else {
            String hint = context.isEmpty() || began.equals(at) ? context : context + " that begins at " + began;
            problems.error(at, "not YAML: " + problem, hint);
        }
    }

    private static void neverClosed(String context, Position began, Position end, DiagnosticCollector problems) {
        switch (context) {
            case "while parsing a flow mapping" -> problems.error(began, "'{' is never closed");
            case "while parsing a flow sequence" -> problems.error(began, "'[' is never closed");
            case "while parsing a flow node" -> problems.error(end, "the file ends inside [ ] or { }");
            default -> problems.error(began, "a quote is never closed");
        }
    }

    private static void afterBlock(String found, Position at, DiagnosticCollector problems) {
        switch (found) {
            case "'}'", "']'" -> problems.error(at, found + " closes nothing");
            case "'<scalar>'" ->
                problems.error(at, "unexpected text after the end of a quoted text", "check the quotes");
            default ->
                problems.error(
                        at,
                        "wrong indentation",
                        "the keys of a mapping, and the items of a list, start in the same column");
        }
    }
}
