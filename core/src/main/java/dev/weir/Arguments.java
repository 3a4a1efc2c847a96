package dev.weir;

import org.jspecify.annotations.Nullable;

/** Validates the arguments of public calls. Messages say which value was expected. */
final class Arguments {
    private Arguments() {}

    /** Returns {@code text}, or throws if it is null; {@code name} is the argument's name in the message. */
    static String text(String name, @Nullable String text) {
        if (text == null) {
            throw new NullPointerException(name + ": null (expected: text)");
        }
        return text;
    }

    /** Returns {@code hits}, or throws if they are fewer than {@code least}. */
    static long hits(long least, long hits) {
        if (hits < least) {
            throw new IllegalArgumentException("hits: " + hits + " (expected: >= " + least + ")");
        }
        return hits;
    }
}
