package dev.weir.client.internal;

import java.util.function.DoubleSupplier;

/**
 * The rate at which this process asks under one policy. It follows what is left of the limit, as the answers show it. Every
 * caller under the limit sees the same number and answers it in the same way, so that callers of many processes get equal
 * shares without knowing of each other.
 *
 * <h2>The law</h2>
 *
 * {@code ρ = q/w} is the rate of the limit, {@code free} what is left less what is in flight, {@code φ} its share of what
 * can be left. The more is free, the faster this process asks:
 *
 * <pre>
 * bucket         x = k·free,        k → (2/w)·φ/(1−φ)       one caller keeps half of the bucket, twenty a seventh
 * sliding        x = k·free,        k → (1/w)·φ/φ₀²         one caller keeps the share φ₀
 * window, w ≥ 5  x = free/left                              spends the window by its end
 * window, w &lt; 5  x grows while each window leaves some      additive up, multiplicative down; if the server says
 *                                                            when the window ends, a used up one is waited out
 * </pre>
 *
 * <p>{@code k} follows its value within a second, so that {@code x} itself reacts at once to what is free, and the gain of
 * the loop adapts to the number of callers. A refused call takes a margin off {@code free} for a minute.
 *
 * <p>Times are seconds. Not thread-safe: {@link PacedOrigin} guards it.
 */
final class PolicyRate {
    /** The most that {@code k} is at the start, a second: twenty callers that start together do not overshoot by it. */
    private static final double START_GAIN = 0.4;

    private static final double FOLLOWS_WITHIN = 1;
    private static final double SHORTEST_LEFT = 2;
    private static final double WINDOW_MARGIN = 0.02;
    private static final double LITTLE = 0.25;
    private static final double SHORT_WINDOW = 5;
    private static final double SHORT_USE = 0.95;
    private static final double SHORT_SAMPLES = 0.1;
    /** The share of a timed window that all callers together spend. */
    private static final double TIMED_USE = 0.97;

    /** The part of that share which {@link #TIMED_EVENING} takes while many share the window. */
    private static final double TIMED_SHARED_USE = 0.09;

    /** The share of its rate that a process gives up in a window, so that others may take it: rates become equal by it. */
    private static final double TIMED_EVENING = 0.3;

    /** The least that is left to others, for calls that are in flight already. */
    private static final double TIMED_MARGIN = 3;

    private static final double TIMED_MARGIN_SHARE = 0.04;
    /** The part of a window over which callers that waited for it begin. */
    private static final double TIMED_SPREAD = 0.1;

    private static final double TIMED_DECREASE = 7;
    /** The rate of a process that is alone, as a multiple of the limit's. It waits at the end of each window. */
    private static final double ALONE_RATE = 1.15;

    private static final double ALONE_MARGIN_SHARE = 0.02;
    private static final double MOST_PENALTY = 0.07;
    private static final double PENALTY_STEP = 0.01;
    private static final double PENALTY_DECAYS = 60;

    private final DoubleSupplier random;
    private double quota;
    private double window;
    /**
     * The size of the bucket: the server's figure, else the quota. If little remained at first, the bucket may be small:
     * then the size is the most that ever remained.
     */
    private double capacity;

    /** The calls a second that this process makes. */
    private double rate;

    /** Calls a second for each hit that is free. */
    private double gain;

    private double blockedUntil;
    private double seenAt;
    private double penalty;
    private double penaltyAt;
    private double lastRemaining;
    private double lastUntil;
    private double lastAt;
    /** Whether the remaining hits ever rose at once, as those of a window do. */
    private boolean sawWindow;

    /** The answer from which the spending of a short window is measured. */
    private double baseRemaining;

    private double baseFree;
    private double baseAt;

    private final OtherCallers others = new OtherCallers();

    /** From when, and until when, the window is probably used up. */
    private double usedUpFrom = Double.POSITIVE_INFINITY;

    private double usedUpUntil;

    PolicyRate(LimitReading first, double now, DoubleSupplier random) {
        this.random = random;
        quota = first.quota();
        window = first.windowSeconds();
        capacity = capacity(first);
        seenAt = now;
        lastAt = now;
        lastRemaining = first.remaining();
        lastUntil = until(first);
        gain = Math.min(START_GAIN, 2 / window);
        rate = Math.max(limit() / 100, Math.min(limit(), gain * first.remaining()));
    }

    /** The calls a second that the limit lets pass. */
    private double limit() {
        return Math.max(1e-6, quota / window);
    }

    private double until(LimitReading reading) {
        return reading.untilSeconds() < 0 ? window : reading.untilSeconds();
    }

    private static double capacity(LimitReading reading) {
        if (reading.burst() > 0) {
            return reading.burst();
        }
        return reading.remaining() < LITTLE * reading.quota() ? reading.remaining() + 1.0 : reading.quota();
    }

    double rate() {
        return rate;
    }

    /** When an answer last named it. */
    double seenAt() {
        return seenAt;
    }

    /** After how many seconds without a word of it the policy is forgotten. */
    double forgottenAfter() {
        return Math.max(60, 2 * window);
    }

    /** The time before which no call may be sent. */
    double blockedUntil(double now) {
        return now >= usedUpFrom && now < usedUpUntil ? Math.max(blockedUntil, usedUpUntil) : blockedUntil;
    }

    /** A call was refused; {@code retryAfter} is how long to wait, in seconds. */
    void refused(double now, double retryAfter) {
        seenAt = now;
        blockedUntil = Math.max(blockedUntil, now + retryAfter);
        penalty = Math.min(MOST_PENALTY, penalty(now) + PENALTY_STEP);
        penaltyAt = now;
        gain *= 0.8;
        baseRemaining = -1; // measure anew
        rate = Math.max(limit() / 100, rate * 0.8);
    }

    private double penalty(double now) {
        return penalty * Math.max(0, 1 - (now - penaltyAt) / PENALTY_DECAYS);
    }

    /** A call passed, and the answer has {@code reading}; {@code inFlight} other calls of this process are in flight. */
    void answered(LimitReading reading, int inFlight, double now) {
        seenAt = now;
        if (reading.quota() != quota || Math.abs(reading.windowSeconds() - window) > 0.5 * window) {
            quota = reading.quota();
            window = reading.windowSeconds();
            capacity = capacity(reading);
            gain = Math.min(START_GAIN, 2 / window);
        }
        double until = until(reading);
        double dt = Math.max(0, now - lastAt);
        double rose = reading.remaining() - lastRemaining;
        sawWindow |= rose > 0.3 * quota + 1.5 * limit() * dt && until <= lastUntil + 1;
        capacity = Math.max(capacity, reading.remaining() + 1.0);
        double free = Math.max(0, reading.remaining() - inFlight - penalty(now) * capacity);
        if (reading.endsInSeconds() >= 0 && reading.endsInSeconds() <= window) {
            timedWindow(reading, free, inFlight, now);
        } else if (until > window) {
            double kept = Math.max(0.06, Math.min(0.3, 0.25 / window));
            follow(free / quota / window / (kept * kept), dt);
            rate = Math.min(1.5 * limit(), gain * free);
        } else if (until <= Math.max(1, window / 20) && !sawWindow) {
            double share = Math.min(0.98, free / capacity);
            follow(4 * limit() / capacity * share * share / (1 - share), dt);
            rate = gain * free;
        } else if (window < SHORT_WINDOW) {
            shortWindow((double) reading.remaining(), free, now);
        } else {
            double spendable = free - WINDOW_MARGIN * quota;
            rate = spendable / Math.max(SHORTEST_LEFT, until - 0.5);
            if (spendable <= 0) {
                blockedUntil =
                        Math.max(blockedUntil, now + (0.5 + 0.5 * random.getAsDouble()) * Math.min(until, window));
            }
        }
        rate = Math.max(limit() / 100, rate);
        lastRemaining = reading.remaining();
        lastUntil = until;
        lastAt = now;
    }

    /** Moves the gain towards {@code target}. */
    private void follow(double target, double dt) {
        double bounded = Math.min(target, 4 * limit() / capacity);
        gain += (bounded - gain) * (1 - Math.exp(-dt / FOLLOWS_WITHIN));
    }

    /**
     * The server says when the window ends, so one answer shows how fast all callers together spend it. The rate is moved
     * until they spend almost all of it: up by an amount that is the same for all, down by a share; a little goes down all
     * the time, so that unequal rates even out. If the window will be used up before its end, this process does not take
     * the last of it, and begins the next one later than others. A process that is alone spends each window and waits for
     * the next.
     */
    private void timedWindow(LimitReading reading, double free, int inFlight, double now) {
        double left = reading.endsInSeconds();
        others.answered(quota - reading.remaining(), quota, inFlight, now + left, window);
        double elapsed = Math.max(0.2 * window, window - left);
        double all = Math.max(rate, (quota - reading.remaining()) / elapsed);
        double own = rate / all;
        double dt = Math.min(window, now - baseAt);
        if (window - left > 0.2 * window && dt >= SHORT_SAMPLES * window) {
            double spent = (quota - reading.remaining()) / elapsed / limit();
            double use = TIMED_USE + (1 - own) * TIMED_SHARED_USE - penalty(now);
            double error = Math.max(-1, Math.min(1, use - spent));
            double step = dt / window * elapsed / window; // the later, the less does chance weigh
            rate = error > 0
                    ? rate + step * error * (1.5 * own * rate + 0.15 * limit())
                    : rate * Math.exp(TIMED_DECREASE * step * error);
            rate = Math.min(rate * (1 - step * (1 - own) * TIMED_EVENING), 1.3 * limit());
            baseAt = now;
        }
        double margin = (1 - own) * Math.max(TIMED_MARGIN, TIMED_MARGIN_SHARE * quota);
        if (others.isAlone()) {
            rate = Math.max(rate, ALONE_RATE * limit());
            own = 1;
            all = rate;
            margin = Math.max(1, ALONE_MARGIN_SHARE * quota);
        }
        double lasts = Math.max(0, free - margin) / all;
        usedUpFrom = lasts < left ? now + lasts : Double.POSITIVE_INFINITY;
        usedUpUntil = now + left + (1 - own) * TIMED_SPREAD * window * random.getAsDouble();
    }

    /**
     * A whole second says nothing of when in it the window ends. So the rate is moved until all callers together spend
     * almost the rate of the limit, measured from one answer to a later one of the same window.
     */
    private void shortWindow(double remaining, double free, double now) {
        double dt = now - baseAt;
        if (remaining <= baseRemaining) {
            if (dt < SHORT_SAMPLES) {
                return;
            }
            double wanted = -(SHORT_USE - penalty(now)) * limit();
            double error = Math.max(-2, Math.min(2, ((free - baseFree) / dt - wanted) / limit()));
            double step = 0.4 * Math.min(1, dt / Math.max(1, 3 * dt));
            rate = error > 0 ? rate + step * error * (0.6 * rate + 0.05 * limit()) : rate * Math.exp(step * error);
            rate = Math.min(rate, 1.3 * limit());
        }
        baseRemaining = remaining;
        baseFree = free;
        baseAt = now;
    }
}
