package dev.weir.rules.internal.load;

import dev.weir.text.diagnostics.Position;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A document of rules from any source: one domain or part of one, in Weir's or Envoy's format. */
public final class RuleDocument {
    private final String name;
    private final byte[] bytes;
    private final @Nullable Function<Position, String> places;

    /** Creates a document; diagnostics show {@code name}, followed by line and column. */
    public RuleDocument(String name, byte[] bytes) {
        this(name, bytes, null);
    }

    /** Creates a document; {@code places} describes a position in it, for generated text that its authors never saw. */
    public RuleDocument(String name, byte[] bytes, @Nullable Function<Position, String> places) {
        this.name = name;
        this.bytes = bytes;
        this.places = places;
    }

    public String name() {
        return name;
    }

    /** The contents; not a copy. */
    public byte[] bytes() {
        return bytes;
    }

    @Nullable
    Function<Position, String> places() {
        return places;
    }
}
