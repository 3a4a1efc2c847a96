package dev.weir;

import org.jspecify.annotations.Nullable;

/** Checks what users pass in, and says what was expected instead. */
final class Arguments {
    private Arguments() {}

    /** {@code text}, which callers without a null checker may have left out; {@code name} is what they call it. */
    static String text(String name, @Nullable String text) {
        if (text == null) {
            throw new NullPointerException(name + ": null (expected: text)");
        }
        return text;
    }

    /** {@code hits}, if they are no fewer than {@code least}. */
    static long hits(long least, long hits) {
        if (hits < least) {
            throw new IllegalArgumentException("hits: " + hits + " (expected: >= " + least + ")");
        }
        return hits;
    }
}
