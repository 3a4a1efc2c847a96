package dev.weir.text.diagnostics;

/**
 * One thing to say about a rule file.
 *
 * @param line counted from 1; 0 where it is about the file as a whole, and then {@code column} is 0 too
 * @param hint what to do about it, or empty
 */
public record Diagnostic(String file, int line, int column, Severity severity, String message, String hint) {

    public boolean isError() {
        return severity == Severity.ERROR;
    }

    /** {@code rules.yaml:12:9: unknown algorithm 'token_buket' (did you mean token_bucket?)}. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(file).append(':');
        if (this.line > 0) {
            line.append(this.line).append(':').append(column).append(':');
        }
        line.append(' ');
        if (severity == Severity.WARNING) {
            line.append("warning: ");
        }
        line.append(message);
        if (!hint.isEmpty()) {
            line.append(" (").append(hint).append(')');
        }
        return line.toString();
    }
}
