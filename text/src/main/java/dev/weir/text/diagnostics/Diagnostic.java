package dev.weir.text.diagnostics;

/**
 * An error or a warning about a file.
 *
 * @param line counted from 1; 0 if it is about the file as a whole, and then {@code column} is 0 too
 * @param hint how to correct it, or empty
 */
public record Diagnostic(String file, int line, int column, Severity severity, String message, String hint) {

    public boolean isError() {
        return severity == Severity.ERROR;
    }

    /** Returns for example {@code rules.yaml:12:9: unknown algorithm 'token_buket' (did you mean token_bucket?)}. */
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
