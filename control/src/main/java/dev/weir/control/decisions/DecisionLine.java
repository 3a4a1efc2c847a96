package dev.weir.control.decisions;

import org.jspecify.annotations.Nullable;

/** One check as JSON, without the end of the line; nobody changes the bytes. */
final class DecisionLine {
    private final byte[] json;
    private final @Nullable String counter;

    DecisionLine(byte[] json, @Nullable String counter) {
        this.json = json;
        this.counter = counter;
    }

    byte[] json() {
        return json;
    }

    /** What tells its counter from others, as far as the line shows it; null if it does not. */
    @Nullable
    String counter() {
        return counter;
    }
}
