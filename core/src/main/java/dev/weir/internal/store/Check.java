package dev.weir.internal.store;

import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.counter.CounterName;
import org.jspecify.annotations.Nullable;

/**
 * One meter applied to one counter with its hits, and the outcome. It has plain fields and is reused for every request.
 */
public final class Check {
    /** The {@link #store} of a counter that this process keeps in its own memory. */
    public static final int LOCAL = -1;

    /** The effect on the request of a check that is over its limit. */
    public enum Role {
        /** Denies the request. */
        ENFORCE,
        /** None: the check is in shadow mode. */
        SHADOW,
        /** Denies the request if every other quota check is over too. */
        QUOTA
    }

    /** The counter, as a seeded 128-bit hash of its injective encoding. */
    public long key0, key1;

    public @Nullable Meter meter;
    public long hits;
    /**
     * A lease: how many more single hits to take once the request has passed, for this process to spend later; as many
     * as fit are taken. 0 without a lease. If {@link #hits} is 0, only the lease is asked for.
     */
    public long ahead;
    /**
     * For a lease: the name under which the store keeps what it granted for a while, and the number of this grant. So a
     * node that did not hear the answer can ask for the same grant {@linkplain #again again}. 0 if it is not kept.
     */
    public long lessee, grant;
    /** Whether the lease is only what the store has kept of this {@link #grant}; nothing is taken. */
    public boolean again;
    /** Answer: how many of {@link #ahead} were taken. The outcome is that after them. */
    public long granted;
    /**
     * For hits that are given back to a fixed window: the start of the window that they were taken from, in the store's
     * time. 0 for any other check.
     */
    public long window;
    /** Answer: {@link #window} is not the window that the store counts in, so nothing was given back. */
    public boolean windowOver;
    /** Answer: a lease paid for the hits, and no store was asked. */
    public boolean leased;
    /** Whether the hits, more than 0, are charged even if they do not fit, as a debt. Its role is shadow. */
    public boolean owed;
    /** Whether hits count even if this check, or the request, is denied. */
    public boolean countsDenied;

    public Role role = Role.ENFORCE;
    public final Outcome outcome = new Outcome();

    /** The counter's name in a shared store; empty if none is asked. */
    public final CounterName name = new CounterName();
    /** The index of the shared store that counts, or {@link #LOCAL}. */
    public int store = LOCAL;
    /** An index for the creator of the check: the match that it belongs to. */
    public int about;

    /** The reason why there is no outcome; null if there is one. */
    public @Nullable StoreFailure failure;

    /** Makes this a check that gives back the hits of {@code taken}, to the window that its outcome tells. */
    public void setReturning(Check taken) {
        set(taken);
        window = taken.meter == null ? 0 : taken.meter.windowOf(taken.outcome);
        hits = -taken.hits;
        ahead = 0;
        lessee = 0;
        again = false;
        owed = false;
        countsDenied = false;
        role = Role.SHADOW;
    }

    /**
     * The hits to apply to a counter whose state begins with {@code state0}: none if they are given back to another
     * window than the one counted there.
     */
    public long hitsAt(long state0) {
        windowOver = window != 0 && window != state0;
        return windowOver ? 0 : hits;
    }

    /** Takes over what {@code other} asks; its answer stays behind. */
    public void set(Check other) {
        key0 = other.key0;
        key1 = other.key1;
        meter = other.meter;
        hits = other.hits;
        ahead = other.ahead;
        lessee = other.lessee;
        grant = other.grant;
        again = other.again;
        granted = 0;
        window = other.window;
        windowOver = false;
        leased = false;
        owed = other.owed;
        countsDenied = other.countsDenied;
        role = other.role;
        name.set(other.name);
        store = other.store;
        about = other.about;
        failure = null;
    }
}
