package dev.weir.text.yaml;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import java.util.List;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;

/**
 * Says what is wrong with a text that is no YAML. The parser's words are about its tokens, and its place is where it gave up;
 * what people get wrong has words of its own here, at the place where it is to be mended.
 */
final class YamlSyntaxErrors {
    static final String QUOTES = "a text that begins with * needs quotes";

    /** How the parser says that the document was over too early. */
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
            afterItsEnd(problem.substring("expected <block end>, but found ".length()), at, problems);
        } else if (problem.startsWith("mapping values are not allowed")) {
            String hint =
                    "a text with a colon needs quotes; a colon and a dash need a space after them, also on the line"
                            + " before; else mind the indentation";
            problems.error(at, "a colon that makes no sense here", hint);
        } else if (!context.isEmpty() && ENDS.stream().anyMatch(problem::endsWith)) {
            neverClosed(context, began, at, problems);
        } else if (context.equals("while scanning an alias")) {
            problems.error(began, "not the name of an alias", QUOTES);
        } else if (context.equals("while scanning a simple key")) {
            problems.error(began, "a name without a colon after it");
        } else {
            String hint = context.isEmpty() || began.equals(at) ? context : context + " that begins at " + began;
            problems.error(at, "not YAML: " + problem, hint);
        }
    }

    private static void neverClosed(String context, Position began, Position end, DiagnosticCollector problems) {
        switch (context) {
            case "while parsing a flow mapping" -> problems.error(began, "'{' is never closed");
            case "while parsing a flow sequence" -> problems.error(began, "'[' is never closed");
            case "while parsing a flow node" -> problems.error(end, "the file ends inside of [ ] or { }");
            default -> problems.error(began, "a quote is never closed");
        }
    }

    private static void afterItsEnd(String found, Position at, DiagnosticCollector problems) {
        switch (found) {
            case "'}'", "']'" -> problems.error(at, found + " closes nothing");
            case "'<scalar>'" -> problems.error(at, "a text after the end of another", "mind the quotes");
            default -> problems.error(at, "wrong indentation", "what belongs together begins in the same column");
        }
    }
}
