package dev.weir.internal.store;

import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.counter.CounterName;
import org.jspecify.annotations.Nullable;

/** One meter applied to one counter key with its hits, and what came of it. Plain fields: it is reused for every request. */
public final class Check {
    /** {@link #store} of what this process counts by itself. */
    public static final int LOCAL = -1;

    /** What a check that is over does to the request. */
    public enum Role {
        /** Denies it. */
        ENFORCE,
        /** Nothing: it only watches. */
        SHADOW,
        /** Denies it if every other quota check is over too. */
        QUOTA
    }

    /** The counter, as a seeded 128-bit hash of its injective encoding. */
    public long key0, key1;

    public @Nullable Meter meter;
    public long hits;
    /**
     * How many single hits more to take once the request has passed, for this process to spend later: as many of them as fit. A
     * lease; 0 for what is only decided. With {@link #hits} 0 nothing but the lease is asked for.
     */
    public long ahead;
    /** The answer: how many of {@link #ahead} were taken; the outcome is as things stand after them. */
    public long granted;
    /** The answer: no store was asked, for hits that were granted before have paid for it. */
    public boolean leased;
    /** Hits count even when this check, or the request, is denied. */
    public boolean countsDenied;

    public Role role = Role.ENFORCE;
    public final Outcome outcome = new Outcome();

    /** What a shared store calls the counter; empty where none is asked. */
    public final CounterName name = new CounterName();
    /** Which of the shared stores counts, by its place among them, or {@link #LOCAL}. */
    public int store = LOCAL;
    /** For whoever made the check: which of its own things it is about. */
    public int about;

    /** Why there is no outcome; null if there is one. */
    public @Nullable StoreFailure failure;

    /** Becomes what gives back what {@code taken} took. */
    public void setReturning(Check taken) {
        set(taken);
        hits = -taken.hits;
        ahead = 0;
        countsDenied = false;
        role = Role.SHADOW;
    }

    /** Takes over what {@code other} asks; its answer stays behind. */
    public void set(Check other) {
        key0 = other.key0;
        key1 = other.key1;
        meter = other.meter;
        hits = other.hits;
        ahead = other.ahead;
        granted = 0;
        leased = false;
        countsDenied = other.countsDenied;
        role = other.role;
        name.set(other.name);
        store = other.store;
        about = other.about;
        failure = null;
    }
}
