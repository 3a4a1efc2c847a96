package dev.weir.internal.limiter.check;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.Verdict.Reason;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.util.Objects;

/** Turns the outcomes of checks into verdicts: one for each match, in their order. */
public final class VerdictWriter {
    /** The remaining hits of a match without a limit: the largest number of Envoy's response. */
    private static final long UNLIMITED = 0xffff_ffffL;
    /** The retry-after of a degraded denial: it is unknown when the store is back. */
    private static final long TRY_AGAIN_MICROS = 1_000_000;

    private final CheckWriter checkWriter;
    private final LimiterObserver observer;

    /** Writes verdicts on the checks of {@code checkWriter}. */
    public VerdictWriter(CheckWriter checkWriter, LimiterObserver observer) {
        this.checkWriter = checkWriter;
        this.observer = observer;
    }

    /** Adds the verdicts of a request whose checks were all decided. */
    public void write(Request request, Matches matches, Checks checks, MutableDecision into) {
        write(request, matches, checks, into, false);
    }

    /** Adds the verdicts of the checks that denied the request before the others were asked. */
    public void writeDenials(Request request, Matches matches, Checks checks, MutableDecision into) {
        write(request, matches, checks, into, true);
    }

    private void write(Request request, Matches matches, Checks checks, MutableDecision into, boolean denialsOnly) {
        int next = 0;
        for (int i = 0, size = matches.size(); i < size; i++) {
            Match match = matches.get(i);
            Rule rule = match.rule();
            if (match.keyMissing() && rule != null) {
                observer.keyMissing(rule);
                if (CheckWriter.isSkipped(match)) {
                    continue;
                }
            }
            Limit limit = checkWriter.limitOf(match);
            if (rule != null && checkWriter.isOverrideIgnored(match)) {
                observer.agreementIgnored(rule, Objects.requireNonNull(match.override()));
            }
            if (limit == null) {
                if (!denialsOnly) {
                    long hits = request.hitsOf(match.descriptor());
                    into.add().set(rule, null, match.descriptor(), hits, Reason.UNLIMITED, UNLIMITED, 0, 0, 0);
                }
                continue;
            }
            Check check = checks.get(next++);
            if (denialsOnly && check.outcome.allowed) {
                continue;
            }
            if (rule != null && CheckWriter.isKeyDenied(match)) {
                long hits = rule.costOf(request.hitsOf(match.descriptor()));
                into.add()
                        .set(rule, limit, match.descriptor(), hits, Reason.MISSING_KEY, 0, 0, MutableVerdict.NEVER, 0)
                        .shadow(check.role == Check.Role.SHADOW);
            } else {
                write(into.add(), match, limit, check, into.nowMicros());
            }
        }
    }

    /**
     * Closes a decision whose verdicts were written. Names its counter if the request asked for that, and tells the
     * permits that it took. With {@code shadow} it passes in any case.
     */
    public static void end(Matches matches, Checks checks, MutableDecision into, boolean allowed, boolean shadow) {
        into.end(allowed || shadow);
        if (matches.taken != null) {
            into.permits(PermitChecks.taken(matches, checks, allowed));
        }
        MutableVerdict binding = matches.isNoting() ? into.binding() : null;
        CounterLabel counter = binding == null ? null : matches.counter(binding);
        if (counter != null) {
            into.nameCounter(counter.text(), counter.bucket());
        }
    }

    private static void write(MutableVerdict verdict, Match match, Limit limit, Check check, long now) {
        if (match.shed) {
            writeShed(verdict, match, limit, check);
            return;
        }
        if (check.failure != null) {
            limitToOutage(check, limit);
        }
        Outcome outcome = check.outcome;
        if (outcome.retryAfter == Outcome.NEVER) {
            waitForNextWindow(outcome, match, limit, check.hits, now);
        }
        Meter meter = check.meter;
        verdict.set(
                        match.rule(),
                        limit,
                        match.descriptor(),
                        check.hits,
                        reasonOf(check),
                        outcome.remaining,
                        outcome.reset,
                        outcome.retryAfter,
                        outcome.delay)
                .counter(check.key0)
                // A critical request is charged like one in shadow mode; its rule is not in that mode for it.
                .shadow(check.role == Check.Role.SHADOW && !(match.isCritical() && outcome.allowed))
                .priority(match.priority, false)
                .degraded(check.failure != null)
                .leased(check.leased);
        if (meter != null && (outcome.debt | meter.limit().credit()) != 0) {
            verdict.credit(meter.limit().credit(), outcome.remaining, outcome.debt);
        }
    }

    /** Hits that do not fit what other regions have left of the window may fit the next one. */
    private static void waitForNextWindow(Outcome out, Match match, Limit limit, long hits, long now) {
        Rule rule = match.rule();
        if (rule != null && rule.scope().isShared() && hits <= limit.capacity()) {
            out.retryAfter = limit.windowEnd(now) - now;
            out.reset = out.retryAfter;
        }
    }

    /** A method of its own, so that the JIT inlines the usual way. */
    private static void writeShed(MutableVerdict verdict, Match match, Limit limit, Check check) {
        long retryAfter = CapacityChecks.retryAfterMicros();
        verdict.set(match.rule(), limit, match.descriptor(), check.hits, Reason.OVER_LIMIT, 0, 0, retryAfter, 0)
                .shadow(check.role == Check.Role.SHADOW)
                .counter(match.key0())
                .priority(match.priority, true);
    }

    /**
     * Limits the times of a degraded outcome. The local share of {@code limit} counts only until the store is back, and
     * hits that do not fit the share may fit the limit then.
     */
    private static void limitToOutage(Check check, Limit limit) {
        Outcome out = check.outcome;
        out.reset = Math.min(out.reset, TRY_AGAIN_MICROS);
        boolean never = out.retryAfter == Outcome.NEVER && check.hits > limit.capacity();
        if (!never && (out.retryAfter == Outcome.NEVER || out.retryAfter > TRY_AGAIN_MICROS)) {
            out.retryAfter = TRY_AGAIN_MICROS;
        }
    }

    private static Reason reasonOf(Check check) {
        Outcome outcome = check.outcome;
        if (outcome.allowed) {
            return Reason.WITHIN_LIMIT;
        }
        if (outcome.retryAfter == Outcome.NEVER) {
            return Reason.NEVER;
        }
        // A meter that denies says until when; only a failure policy does not know.
        return check.failure != null && outcome.retryAfter == 0 ? Reason.STORE_DOWN : Reason.OVER_LIMIT;
    }
}
