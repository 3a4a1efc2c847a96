package dev.weir.internal.match;

import dev.weir.Limit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A limit agreed with one caller beforehand, and with it what whoever counts has made of it: made once, however many there are. */
public final class EffectiveLimit {
    /** The rule's limit that it takes the place of; null where it stands on its own. */
    public final @Nullable Limit inPlaceOf;

    private final Limit limit;
    private volatile @Nullable Object compiled;

    public EffectiveLimit(@Nullable Limit inPlaceOf, Limit limit) {
        this.inPlaceOf = inPlaceOf;
        this.limit = limit;
    }

    public Limit limit() {
        return limit;
    }

    /** What {@code compile} makes of the limit; all who ask must make the same of it. */
    public Object compiled(Function<Limit, Object> compile) {
        Object known = compiled;
        if (known == null) {
            known = compile.apply(limit);
            compiled = known;
        }
        return known;
    }
}
