package dev.weir.internal.match;

import dev.weir.Limit;
import dev.weir.LoadShedder.Priority;
import dev.weir.internal.counter.CounterName;
import dev.weir.internal.model.Rule;
import org.jspecify.annotations.Nullable;

/** A rule, or a caller's own limit, that matches a descriptor, and its counter. Reused for every request. */
public final class Match {
    @Nullable
    public Rule rule;

    @Nullable
    Limit override;

    /** The override that set the limit; null if the request itself carried the limit, or the rule's applies. */
    @Nullable
    public EffectiveLimit agreed;

    public int descriptor;
    /** The bucket of the counter, out of ten thousand, while its rule is rolling out. */
    public int part;

    public long key0, key1;
    boolean countsDenied;
    /** Whether the counter belongs to one caller alone. */
    public boolean ofCaller;

    public boolean keyMissing;

    /** How important the request is; null unless the rule is the capacity of a service. */
    @Nullable
    public Priority priority;

    /** Whether the request is shed, because the service of the rule is near its capacity. */
    public boolean shed;

    public final CounterName name = new CounterName();
    /** The rule or node that wrote the name last, and the key of the counter that it names; 0 if others changed it. */
    private @Nullable Object namedBy;

    private long named0, named1;

    /** Null until the name of a counter is first needed. */
    private @Nullable CounterNote note;

    Match() {}

    public Match set(@Nullable Rule rule, @Nullable Limit override, int descriptor, boolean countsDenied) {
        if (this.rule != rule) {
            this.rule = rule;
        }
        this.override = override;
        this.agreed = null;
        this.descriptor = descriptor;
        this.part = 0;
        this.ofCaller = false;
        this.countsDenied = countsDenied;
        this.keyMissing = false;
        this.priority = null;
        this.shed = false;
        this.key0 = 0;
        this.key1 = 0;
        return this;
    }

    public void agreed(EffectiveLimit agreed) {
        this.agreed = agreed;
        this.override = agreed.limit();
    }

    /** The rule, or null if the request carried the limit. */
    public @Nullable Rule rule() {
        return rule;
    }

    /** The limit that the request carried, or that an override sets for the caller; null without either. */
    public @Nullable Limit override() {
        return override;
    }

    /** The override that set {@link #override}; null if the request itself carried the limit. */
    public @Nullable EffectiveLimit agreed() {
        return agreed;
    }

    /** Whether the rule is rolling out, and does not apply to this counter yet. */
    public boolean isSpared() {
        Rule of = rule;
        return of != null && of.isRollingOut() && part >= of.rollout();
    }

    public int descriptor() {
        return descriptor;
    }

    /** The counter's key: half of a seeded 128-bit hash of its injective encoding; 0 if nothing is counted. */
    public long key0() {
        return key0;
    }

    public long key1() {
        return key1;
    }

    /** Whether the rule is the capacity of a service, which never denies this request. */
    public boolean isCritical() {
        return priority == Priority.CRITICAL;
    }

    /** Returns the note for the parts of the counter. */
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

    /**
     * The counter's name in shared stores; set only in {@linkplain Matches#named() named} matches, for rules that
     * share.
     */
    public CounterName name() {
        return name;
    }

    /**
     * Whether the name still is what {@code by} wrote for this counter: its key hashes all that the name says. So a hot
     * counter is named once, and not for each request.
     */
    public boolean isNamedBy(Object by) {
        return named0 == key0 && named1 == key1 && namedBy == by;
    }

    /** Notes that {@code by} wrote the name of this counter. */
    public void namedBy(Object by) {
        if (namedBy != by) {
            namedBy = by;
        }
        named0 = key0;
        named1 = key1;
    }

    /** Notes that the name is changed for this request alone. */
    public void renamed() {
        named0 = 0;
        named1 = 0;
    }

    /** Whether hits count even if they are denied. */
    public boolean countsDenied() {
        return countsDenied;
    }

    /** Whether the request lacks an attribute that the rule counts by; the rule's {@code on_missing} then decides. */
    public boolean keyMissing() {
        return keyMissing;
    }
}
