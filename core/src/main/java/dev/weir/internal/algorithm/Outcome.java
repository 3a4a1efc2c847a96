package dev.weir.internal.algorithm;

/** What a meter answers, as plain fields that are written over, so that a decision allocates nothing. */
public final class Outcome {
    /** {@link #retryAfter} of hits that can never fit. */
    public static final long NEVER = -1;

    /** Whether the hits fit. */
    public boolean allowed;
    /** Hits that still fit after these were taken (or, denied, as things stand). */
    public long remaining;
    /** Microseconds from now until the counter is as good as new. */
    public long reset;
    /** Microseconds from now until the same hits fit with no other traffic; 0 if they fit now, {@link #NEVER} if they cannot. */
    public long retryAfter;
    /** Microseconds that an allowed request should wait before it goes on; 0 but for shapers. */
    public long delay;
    /** How much of the limit is used after this, 0 (nothing) to 255 (all): what eviction looks at. */
    public int used;
    /**
     * The state to keep, two words: if {@link #allowed}, once the hits are taken; if not, at once (it is the state as it
     * was, unless denied hits count or a clock stepped back). Unused by meters that keep a block.
     */
    public long state0, state1;

    /** Takes over how {@code later} leaves the counter; what was said to the hits before stays. */
    public void standAs(Outcome later) {
        remaining = later.remaining;
        reset = later.reset;
        used = later.used;
        state0 = later.state0;
        state1 = later.state1;
    }

    /** Takes over everything that {@code other} says. */
    public void set(Outcome other) {
        allowed = other.allowed;
        remaining = other.remaining;
        reset = other.reset;
        retryAfter = other.retryAfter;
        delay = other.delay;
        used = other.used;
        state0 = other.state0;
        state1 = other.state1;
    }
}
