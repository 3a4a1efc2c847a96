package dev.weir.rules.internal.grammar;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Estimates the size of a compiled regular expression. RE2 expands counted repeats, so that {@code ((a{99}){99}){99}}
 * becomes a million steps. RE2 bounds one repeat, but not nested repeats.
 */
final class RegexSize {
    /**
     * The most steps of an expression; its length, if that is more. Each step may run for every character of a value.
     */
    static final int MOST = 500;

    private static final Pattern COUNT = Pattern.compile("\\{([0-9]{1,9})(,([0-9]{0,9}))?}");

    private RegexSize() {}

    /** Returns whether {@code expression} has more than {@value #MOST} steps, and more than characters. */
    static boolean isTooLarge(String expression) {
        Deque<Long> outer = new ArrayDeque<>();
        Matcher count = COUNT.matcher(expression);
        int most = Math.max(MOST, expression.length());
        long total = 0;
        long last = 0;
        for (int i = 0; i < expression.length() && total <= most; i++) {
            char c = expression.charAt(i);
            if (c == '(') {
                outer.push(total);
                total = 0;
                last = 0;
            } else if (c == ')' && !outer.isEmpty()) {
                last = total + 2;
                total = outer.pop() + last;
            } else if (c == '{' && count.region(i, expression.length()).lookingAt()) {
                long times = Math.max(Long.parseLong(count.group(1)), most(count.group(3)));
                total += last * Math.max(0, times - 1);
                i = count.end() - 1;
            } else {
                i = c == '\\' ? i + 1 : c == '[' ? endOfClass(expression, i) : i;
                last = 1;
                total++;
            }
        }
        return total > most;
    }

    private static long most(String group) {
        return group == null || group.isEmpty() ? 0 : Long.parseLong(group);
    }

    /** Returns the index of the bracket that closes the class opened at {@code start}. */
    private static int endOfClass(String expression, int start) {
        int i = expression.startsWith("^", start + 1) ? start + 2 : start + 1;
        for (int first = i; i < expression.length(); i++) {
            char c = expression.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '[' && expression.startsWith("[:", i)) {
                i = Math.max(i, expression.indexOf(":]", i) + 1);
            } else if (c == ']' && i > first) {
                return i;
            }
        }
        return expression.length();
    }
}
