package dev.weir.internal.match.pattern;

import java.util.Arrays;
import java.util.Objects;

/**
 * Text in which each {@code *} matches any run of characters, also an empty one.
 *
 * <p>The text between two stars is searched from left to right, and its first occurrence is taken. A later one never
 * helps, so there is no backtracking. Each piece is searched by the Knuth-Morris-Pratt algorithm, so the time is linear
 * in the value.
 */
public final class Glob implements ValuePattern {
    private final String text;
    private final boolean exact;
    private final String prefix;
    private final String suffix;
    private final String[] middle;
    private final int[][] borders;

    public Glob(String text) {
        this.text = text;
        int first = text.indexOf('*');
        int last = text.lastIndexOf('*');
        exact = first < 0;
        prefix = exact ? text : text.substring(0, first);
        suffix = exact ? "" : text.substring(last + 1);
        middle = first < last ? pieces(text.substring(first + 1, last)) : new String[0];
        borders = new int[middle.length][];
        for (int i = 0; i < middle.length; i++) {
            borders[i] = borders(middle[i]);
        }
    }

    private static String[] pieces(String between) {
        return Arrays.stream(between.split("\\*", -1))
                .filter(piece -> !piece.isEmpty())
                .toArray(String[]::new);
    }

    /** For each end of {@code piece}, the length of the longest proper prefix that also ends there. */
    private static int[] borders(String piece) {
        int[] borders = new int[piece.length()];
        for (int i = 1, length = 0; i < piece.length(); i++) {
            while (length > 0 && piece.charAt(i) != piece.charAt(length)) {
                length = borders[length - 1];
            }
            if (piece.charAt(i) == piece.charAt(length)) {
                length++;
            }
            borders[i] = length;
        }
        return borders;
    }

    @Override
    public boolean matches(String value) {
        return matches(value, 0);
    }

    /** Whether {@code value} from {@code start} on matches. */
    boolean matches(String value, int start) {
        int length = value.length() - start;
        if (exact) {
            return length == prefix.length() && value.startsWith(prefix, start);
        }
        if (length < prefix.length() + suffix.length() || !value.startsWith(prefix, start) || !value.endsWith(suffix)) {
            return false;
        }
        int at = start + prefix.length();
        int end = value.length() - suffix.length();
        for (int i = 0; i < middle.length; i++) {
            at = endOf(middle[i], borders[i], value, at, end);
            if (at < 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Index after the first occurrence of {@code piece} in {@code value} between {@code from} and {@code to}, or -1.
     */
    private static int endOf(String piece, int[] borders, String value, int from, int to) {
        int matched = 0;
        for (int i = from; i < to; i++) {
            char next = value.charAt(i);
            while (matched > 0 && piece.charAt(matched) != next) {
                matched = borders[matched - 1];
            }
            if (piece.charAt(matched) == next && ++matched == piece.length()) {
                return i + 1;
            }
        }
        return -1;
    }

    /** Whether it has no star, and so matches exactly its text. */
    boolean isExact() {
        return exact;
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Glob glob && glob.text.equals(text);
    }

    @Override
    public int hashCode() {
        return Objects.hash(text);
    }

    @Override
    public String toString() {
        return text;
    }
}
