package dev.weir.internal.algorithm;

/** The outcome of a meter, in plain fields that are overwritten, so that a decision allocates nothing. */
public final class Outcome {
    /** The {@link #retryAfter} of hits that can never fit. */
    public static final long NEVER = -1;

    /** Whether the hits fit. */
    public boolean allowed;
    /** Hits that still fit after these were taken, on credit too; if these were denied, hits that fit now. */
    public long remaining;
    /** Hits by which a bucket's level is above its burst after this, on credit or by a charge that had to be made. */
    public long debt;
    /** Microseconds from now until the counter is as good as new. */
    public long reset;
    /**
     * Microseconds until the same hits fit without other traffic; 0 if they fit now, {@link #NEVER} if they never can.
     */
    public long retryAfter;
    /** Microseconds that an allowed request should wait before it proceeds; 0 for all algorithms but shapers. */
    public long delay;
    /** The used share of the limit after this, 0 (nothing) to 255 (all). Eviction compares it. */
    public int used;
    /**
     * The state to keep, two words. If {@link #allowed}, it is kept once the hits are taken; if denied, at once. After
     * a denial it is the old state, unless denied hits count or a clock stepped back. Meters that keep a block do not
     * use it.
     */
    public long state0, state1;

    /** Copies the counter's state from {@code later}, and keeps the answer that was given to these hits. */
    public void standAs(Outcome later) {
        remaining = later.remaining;
        debt = later.debt;
        reset = later.reset;
        used = later.used;
        state0 = later.state0;
        state1 = later.state1;
    }

    /** Copies everything from {@code other}. */
    public void set(Outcome other) {
        allowed = other.allowed;
        remaining = other.remaining;
        debt = other.debt;
        reset = other.reset;
        retryAfter = other.retryAfter;
        delay = other.delay;
        used = other.used;
        state0 = other.state0;
        state1 = other.state1;
    }
}
