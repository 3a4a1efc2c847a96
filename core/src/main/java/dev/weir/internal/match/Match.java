package dev.weir.internal.match;

import dev.weir.Limit;
import dev.weir.internal.counter.CounterName;
import dev.weir.internal.model.Rule;
import org.jspecify.annotations.Nullable;

/** One rule, or one limit of the caller's, that a descriptor meets, and the counter it uses. Filled again for every request. */
public final class Match {
    @Nullable
    public Rule rule;

    @Nullable
    Limit override;

    /** The same limit, where it was agreed with the caller beforehand. */
    @Nullable
    public EffectiveLimit agreed;

    public int descriptor;
    /** Which of ten thousand the counter is, where its rule is rolling out. */
    public int part;

    public long key0, key1;
    boolean countsDenied;
    /** The counter is some caller's, and shared with no other. */
    public boolean ofCaller;

    public boolean keyMissing;
    public final CounterName name = new CounterName();

    /** Null until somebody asks for the name of a counter. */
    private @Nullable CounterNote note;

    Match() {}

    public Match set(@Nullable Rule rule, @Nullable Limit override, int descriptor, boolean countsDenied) {
        this.rule = rule;
        this.override = override;
        this.agreed = null;
        this.descriptor = descriptor;
        this.part = 0;
        this.ofCaller = false;
        this.countsDenied = countsDenied;
        this.keyMissing = false;
        this.key0 = 0;
        this.key1 = 0;
        return this;
    }

    public void agreed(EffectiveLimit agreed) {
        this.agreed = agreed;
        this.override = agreed.limit();
    }

    /** The rule, or null where the caller gave the limit. */
    public @Nullable Rule rule() {
        return rule;
    }

    /** The limit that the caller gave, or that was agreed with it, or null. */
    public @Nullable Limit override() {
        return override;
    }

    /** {@link #override}, where it was agreed with the caller beforehand; else null. */
    public @Nullable EffectiveLimit agreed() {
        return agreed;
    }

    /** Whether the rule is rolling out, and not yet to this counter. */
    public boolean isSpared() {
        Rule of = rule;
        return of != null && of.isRollingOut() && part >= of.rollout();
    }

    public int descriptor() {
        return descriptor;
    }

    /** The counter, as a seeded 128-bit hash of its injective encoding; 0 where nothing is counted. */
    public long key0() {
        return key0;
    }

    public long key1() {
        return key1;
    }

    /** Where to note what the counter is made of. */
    public CounterNote note() {
        CounterNote noted = note;
        if (noted == null) {
            noted = new CounterNote();
            note = noted;
        }
        return noted;
    }

    void endNote() {
        if (note != null) {
            note.end();
        }
    }

    public boolean isCounted() {
        return (key0 | key1) != 0;
    }

    /** What shared stores call the counter; written only for {@linkplain Matches#named() those who ask}, and for rules that share. */
    public CounterName name() {
        return name;
    }

    /** Hits count even when they are denied. */
    public boolean countsDenied() {
        return countsDenied;
    }

    /** The request lacks an attribute that the rule counts by; the rule's {@code on_missing} says what that means. */
    public boolean keyMissing() {
        return keyMissing;
    }
}
