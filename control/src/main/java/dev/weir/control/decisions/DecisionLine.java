package dev.weir.control.decisions;

import org.jspecify.annotations.Nullable;

/** One check as JSON, without a line break; nobody may change the bytes. */
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

    /** Returns the counter as the line shows it; null if the line does not show it. */
    @Nullable
    String counter() {
        return counter;
    }
}
