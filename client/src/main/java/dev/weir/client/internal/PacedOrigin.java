package dev.weir.client.internal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * The calls of this process to one origin, and the policies in its answers. All threads share it. Times are seconds of a
 * monotonic clock.
 */
public final class PacedOrigin {
    /** How long a call waits before it looks again whether the probe was answered. */
    private static final double PROBING = 0.01;

    /** How long a probe is waited for: an origin that does not answer must not hold up calls that may fail on their own. */
    private static final double LONGEST_PROBE = 2;

    /** The longest wait before a call looks again: the pace changes with every answer. */
    private static final double LOOKS_AGAIN = 0.25;

    private static final int MOST_POLICIES = 64;

    private final DoubleSupplier random;
    private final Map<String, PolicyRate> policies = new HashMap<>();
    private double blockedUntil = Double.NEGATIVE_INFINITY;
    /** The number of the last turn, and the numbers that may go by now. */
    private double issued;

    private double served;
    private double servedAt;
    private double probedAt;
    private boolean probing;
    private boolean answered;
    private int inFlight;

    public PacedOrigin(DoubleSupplier random) {
        this.random = random;
    }

    /** A call that waits for its turn. Turns are in the order in which they first asked. */
    public final class Turn {
        private double number = Double.NaN;

        /** The seconds until the call may be sent, 0 if now. Ask again after that time: the pace may have changed. */
        public double delay(double now) {
            synchronized (PacedOrigin.this) {
                if (!answered) {
                    if (probing && now < probedAt + LONGEST_PROBE) {
                        return PROBING;
                    }
                    probing = true;
                    probedAt = now;
                    return 0;
                }
                advance(now);
                if (Double.isNaN(number)) {
                    issued += 0.85 + 0.3 * random.getAsDouble();
                    number = issued;
                }
                double wait = Math.max(0, blocked(now) - now) + Math.max(0, number - served) / rate();
                return Math.min(wait, LOOKS_AGAIN);
            }
        }

        /** Counts the call as in flight. */
        public void sent() {
            synchronized (PacedOrigin.this) {
                inFlight++;
            }
        }
    }

    /** Serves the turns that came up since the last look. */
    private void advance(double now) {
        policies.values().removeIf(each -> now - each.seenAt() > each.forgottenAfter());
        double from = Math.max(servedAt, Math.min(now, blocked(now)));
        served = Math.min(issued + 0.5, served + Math.max(0, now - from) * Math.min(1e9, rate()));
        servedAt = now;
    }

    /** The time until which an answer asked all calls to wait. */
    private double blocked(double now) {
        double latest = blockedUntil;
        for (PolicyRate each : policies.values()) {
            latest = Math.max(latest, each.blockedUntil(now));
        }
        return latest;
    }

    /** The time before which no call will be sent, as far as answers have said by now. */
    public synchronized double blockedUntil(double now) {
        return blocked(now);
    }

    /** A call was answered, and what its headers say. */
    public synchronized void answered(List<LimitReading> readings, double now) {
        ended();
        advance(now);
        answered = true;
        for (LimitReading each : readings) {
            if (each.quota() <= 0 || (policies.size() >= MOST_POLICIES && !policies.containsKey(each.policy()))) {
                continue;
            }
            policies.computeIfAbsent(each.policy(), ignored -> new PolicyRate(each, now, random))
                    .answered(each, inFlight, now);
        }
    }

    /**
     * A call was refused with 429 or 503; {@code retryAfter} is how long to wait, negative if the answer did not say. The
     * policies in the answer, or all that are known, slow down.
     */
    public synchronized void refused(List<LimitReading> readings, double retryAfter, double now) {
        ended();
        advance(now);
        answered = true;
        double wait = retryAfter >= 0 ? retryAfter : 1;
        // Not all at the same moment: others were sent the same time.
        wait *= 1 + 0.1 * random.getAsDouble();
        boolean told = false;
        for (LimitReading each : readings) {
            PolicyRate policy = each.quota() <= 0 || policies.size() >= MOST_POLICIES
                    ? policies.get(each.policy())
                    : policies.computeIfAbsent(each.policy(), ignored -> new PolicyRate(each, now, random));
            if (policy != null) {
                policy.refused(now, wait);
                told = true;
            }
        }
        if (!told) {
            blockedUntil = Math.max(blockedUntil, now + wait);
            policies.values().forEach(each -> each.refused(now, 0));
        }
    }

    /** A call failed without an answer. */
    public synchronized void failed() {
        ended();
        if (!answered) {
            probing = false;
        }
    }

    private void ended() {
        inFlight = Math.max(0, inFlight - 1);
    }

    /** The calls that were sent and have no end yet. */
    public synchronized int inFlight() {
        return inFlight;
    }

    /** The calls a second under the slowest policy; infinite without one. */
    synchronized double rate() {
        return policies.values().stream().mapToDouble(PolicyRate::rate).min().orElse(Double.POSITIVE_INFINITY);
    }
}
