package dev.weir.internal.match;

import dev.weir.Limit;
import dev.weir.internal.model.RegionScope;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A limit set for one caller, with the meter that was compiled from it once for all uses. */
public final class EffectiveLimit {
    /** The rule's limit that it replaces; null if it stands alone. */
    public final @Nullable Limit replaces;

    /** The scope of that rule. */
    public final RegionScope scope;

    private final Limit limit;
    private volatile @Nullable Object compiled;

    public EffectiveLimit(@Nullable Limit replaces, Limit limit) {
        this(replaces, RegionScope.REGION, limit);
    }

    public EffectiveLimit(@Nullable Limit replaces, RegionScope scope, Limit limit) {
        this.replaces = replaces;
        this.scope = scope;
        this.limit = limit;
    }

    /** Whether it replaces {@code rule}, a limit in {@code scope}. */
    @SuppressWarnings("ReferenceEquality") // the usual case, without an iterator
    public boolean isFor(Limit rule, RegionScope scope) {
        return rule.equals(replaces) && (scope == this.scope || scope.equals(this.scope));
    }

    public Limit limit() {
        return limit;
    }

    /** The result of {@code compile} for the limit; all callers must pass an equal function. */
    public Object compiled(Function<Limit, Object> compile) {
        Object known = compiled;
        if (known == null) {
            known = compile.apply(limit);
            compiled = known;
        }
        return known;
    }
}
