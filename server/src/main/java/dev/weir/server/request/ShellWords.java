package dev.weir.server.request;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a line into words as a POSIX shell does: at white space outside quotes. Single quotes keep everything; double
 * quotes keep everything but a backslash before {@code "}, {@code \}, {@code $} or a backquote; elsewhere a backslash
 * keeps the next character. Nothing is expanded.
 */
public final class ShellWords {
    private final String line;
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private int at;
    private boolean begun;

    private ShellWords(String line) {
        this.line = line;
    }

    /**
     * Returns the words of {@code line}.
     *
     * @throws IllegalArgumentException if a quote is not closed
     */
    public static List<String> split(String line) {
        return new ShellWords(line).words();
    }

    private List<String> words() {
        while (at < line.length()) {
            char c = line.charAt(at++);
            switch (c) {
                case '\'' -> quoted();
                case '"' -> doubleQuoted();
                case '\\' -> escaped();
                default -> {
                    if (Character.isWhitespace(c)) {
                        end();
                    } else {
                        append(c);
                    }
                }
            }
        }
        end();
        return words;
    }

    private void append(char c) {
        begun = true;
        word.append(c);
    }

    private void end() {
        if (begun) {
            words.add(word.toString());
            word.setLength(0);
            begun = false;
        }
    }

    private void escaped() {
        if (at == line.length()) {
            throw new IllegalArgumentException("a backslash at the end (expected: the character that it keeps)");
        }
        append(line.charAt(at++));
    }

    private void quoted() {
        int close = line.indexOf('\'', at);
        if (close < 0) {
            throw unclosed('\'', at);
        }
        begun = true;
        word.append(line, at, close);
        at = close + 1;
    }

    private void doubleQuoted() {
        int open = at;
        begun = true;
        while (at < line.length()) {
            char c = line.charAt(at++);
            if (c == '"') {
                return;
            }
            boolean keeps = c == '\\' && at < line.length() && "\"\\$`".indexOf(line.charAt(at)) >= 0;
            word.append(keeps ? line.charAt(at++) : c);
        }
        throw unclosed('"', open);
    }

    private static IllegalArgumentException unclosed(char quote, int after) {
        return new IllegalArgumentException(
                "the quote " + quote + " at character " + after + " is not closed (expected: another " + quote + ")");
    }
}
