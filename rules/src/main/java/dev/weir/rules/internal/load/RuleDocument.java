package dev.weir.rules.internal.load;

import dev.weir.text.diagnostics.Position;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A document of rules from wherever: one domain, or part of one, in either spelling. */
public final class RuleDocument {
    private final String name;
    private final byte[] bytes;
    private final @Nullable Function<Position, String> places;

    /** {@code name} is what diagnostics call it, followed by line and column. */
    public RuleDocument(String name, byte[] bytes) {
        this(name, bytes, null);
    }

    /** {@code places} says where in the document a position is, for a text that its authors never saw. */
    public RuleDocument(String name, byte[] bytes, @Nullable Function<Position, String> places) {
        this.name = name;
        this.bytes = bytes;
        this.places = places;
    }

    public String name() {
        return name;
    }

    /** What is in it; not a copy. */
    public byte[] bytes() {
        return bytes;
    }

    @Nullable
    Function<Position, String> places() {
        return places;
    }
}
