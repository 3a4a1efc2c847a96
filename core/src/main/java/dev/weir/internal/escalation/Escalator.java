package dev.weir.internal.escalation;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.Verdict.Reason;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.IpAddress;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.Escalation;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.LocalStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Bans callers that a rule with {@code escalate} denies again and again.
 *
 * <p><b>Counting.</b> Denials are counted by limits of their own, in the store of the rule, so that all servers count
 * together and the store bounds the memory. The limit of denials is one below {@code after}: the denial that it does not
 * allow leads to a ban. A second limit counts the bans of the last {@code forget}, from which the length follows; a third
 * allows one ban at a time, whichever servers notice the denial.
 *
 * <p><b>Cost.</b> It is told of decisions only while a rule escalates; of these, one that passes pays one comparison. What a
 * denial leads to happens beside its answer, for at most {@value #MOST_IN_FLIGHT} denials at once; further ones are not counted.
 */
public final class Escalator implements LimiterObserver {
    private static final String DOMAIN = "weir:escalate";
    private static final String RULE = "rule";
    private static final String STEP = "step";
    private static final String CALLER = "caller";
    private static final String STRIKE = "strike";
    private static final String BAN = "ban";
    /** Bans that count towards the length of the next one. */
    private static final int MOST_LEVELS = 20;

    private static final int MOST_IN_FLIGHT = 1_000;
    private static final int TIER_COUNTERS = 4_096;

    private final Limiter strikes;
    private final TimeSource time;
    private final Consumer<Ban> bans;
    private final DoubleSupplier random;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final LongAdder uncounted = new LongAdder();
    private volatile Predicate<Request> exempt = request -> false;
    private volatile boolean active;

    /**
     * Creates an escalator that counts in {@code stores}.
     *
     * @param bans receives the bans; called on threads that must not block
     * @param random numbers from 0 to 1, which shorten bans by up to a tenth
     */
    public Escalator(
            LocalStore store,
            SharedStores stores,
            TimeSource time,
            LimiterSettings settings,
            Consumer<Ban> bans,
            DoubleSupplier random) {
        this.time = time;
        this.bans = bans;
        this.random = random;
        this.strikes = new Limiter(
                WrittenRules.empty(),
                store,
                stores,
                time,
                new LimiterSettings(settings.shadow(), false, true)
                        .withDeadlineMicros(settings.deadlineMicros())
                        .withTierCounters(TIER_COUNTERS),
                new LimiterObserver() {});
    }

    /** Sets which requests are never escalated. */
    public void exempt(Predicate<Request> exempt) {
        this.exempt = exempt;
    }

    /** Counts for the rules of {@code next} from now on. */
    public void rules(RuleIndex next) {
        List<WeirRule> counting = new ArrayList<>();
        for (Rule each : next.rules()) {
            Escalation escalation = each.escalation();
            if (escalation != null) {
                add(each, escalation, counting);
            }
        }
        strikes.rules(WrittenRules.builder().weir(DOMAIN, counting).build());
        active = !counting.isEmpty();
    }

    private static void add(Rule rule, Escalation escalation, List<WeirRule> into) {
        if (escalation.after() > 1) {
            into.add(rule(rule, STRIKE, STRIKE, limit(escalation.after() - 1, escalation.withinMicros()), false));
        }
        // One ban at a time: a ban is up to a tenth shorter than it says.
        into.add(rule(rule, BAN, "once", limit(1, escalation.banMicros() * 8 / 10), false));
        into.add(rule(rule, BAN, "level", limit(MOST_LEVELS, escalation.forgetMicros()), true));
    }

    private static Limit limit(int requests, long micros) {
        return Limit.slidingWindowLog(requests, Duration.ofNanos(micros * 1_000));
    }

    private static WeirRule rule(Rule of, String step, String name, Limit limit, boolean shadow) {
        String id = name + ":" + id(of);
        Rule rule = Rule.builder(DOMAIN, id)
                .name(id)
                .label(name)
                .limit(limit)
                .shadow(shadow)
                .consistency(Consistency.EXACT)
                .onFail(OnFail.LOCAL)
                .store(of.store())
                .build();
        return new WeirRule(rule, List.of(Condition.of(RULE, id(of)), Condition.of(STEP, step)), KeyBy.of(CALLER));
    }

    private static String id(Rule rule) {
        return rule.domain() + "/" + rule.id();
    }

    /** Whether a rule in force escalates. If none does, nobody need tell this of decisions. */
    public boolean isActive() {
        return active;
    }

    @Override
    public void decided(Request request, MutableDecision decision) {
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.allowed() || verdict.degraded() ? null : verdict.rule();
            Escalation escalation = rule == null ? null : rule.escalation();
            if (rule != null && escalation != null && verdict.reason() != Reason.MISSING_KEY) {
                denied(request, verdict, rule, escalation);
            }
        }
    }

    /** Denials that were not counted because too many were being counted. */
    public long uncounted() {
        return uncounted.sum();
    }

    private void denied(Request request, MutableVerdict verdict, Rule rule, Escalation escalation) {
        Caller caller = Caller.of(request, verdict.descriptor(), escalation);
        if (caller == null || exempt.test(request)) {
            return;
        }
        if (inFlight.incrementAndGet() > MOST_IN_FLIGHT) {
            inFlight.decrementAndGet();
            uncounted.increment();
            return;
        }
        boolean watched = verdict.shadow();
        if (escalation.after() == 1) {
            ban(caller, rule, escalation, watched);
            return;
        }
        strikes.decideAsync(request(rule, STRIKE, caller)).whenComplete((strike, failure) -> {
            if (strike != null && !strike.allowed()) {
                ban(caller, rule, escalation, watched);
            } else {
                inFlight.decrementAndGet();
            }
        });
    }

    private void ban(Caller caller, Rule rule, Escalation escalation, boolean watched) {
        strikes.decideAsync(request(rule, BAN, caller)).whenComplete((decision, failure) -> {
            inFlight.decrementAndGet();
            if (decision != null && decision.allowed()) {
                bans.accept(banOf(caller, rule, escalation, watched, level(decision)));
            }
        });
    }

    private Ban banOf(Caller caller, Rule rule, Escalation escalation, boolean watched, long level) {
        long micros = escalation.duration(level, random.getAsDouble());
        return new Ban(
                watched ? BanKind.WATCH : BanKind.BAN,
                caller.attribute,
                caller.value,
                rule.domain(),
                time.micros() + micros,
                "denied too often by " + rule.label() + " (ban " + level + ")",
                "rule " + rule.label(),
                true);
    }

    /** The number of this ban among those of the last {@code forget}. */
    private static long level(MutableDecision decision) {
        for (int i = 0; i < decision.size(); i++) {
            if (decision.verdict(i).shadow()) {
                return MOST_LEVELS - Math.max(0, decision.verdict(i).remaining());
            }
        }
        return 1;
    }

    private static Request request(Rule rule, String step, Caller caller) {
        return Request.to(DOMAIN)
                .with(RULE, id(rule))
                .with(STEP, step)
                .with(CALLER, caller.attribute + "=" + caller.value);
    }

    /** The caller of a request, as a ban names it. */
    private record Caller(String attribute, String value) {

        /** The first identity of the rule's key that the request has, or the one that its client_id stands in for. */
        static @Nullable Caller of(Request request, int descriptor, Escalation escalation) {
            for (String attribute : escalation.attributes()) {
                String value = value(request, descriptor, attribute);
                if (value == null && attribute.equals(Attributes.IP)) {
                    value = value(request, descriptor, Attributes.REMOTE_ADDRESS);
                }
                if (value != null) {
                    return of(attribute, value, escalation);
                }
            }
            String client = value(request, descriptor, Attributes.CLIENT_ID);
            for (String attribute : escalation.attributes()) {
                if (client != null && Attributes.isClient(attribute)) {
                    return of(attribute, client, escalation);
                }
            }
            return null;
        }

        private static @Nullable Caller of(String attribute, String value, Escalation escalation) {
            String one = Attributes.isAddress(attribute) ? address(value, escalation.ipv6Prefix()) : value;
            return one == null || one.length() > 256 ? null : new Caller(attribute, one);
        }

        /** As in the rule's key, an empty value counts as missing. */
        private static @Nullable String value(Request request, int descriptor, String attribute) {
            String value = request.value(descriptor, attribute);
            return value == null || value.isEmpty() ? null : value;
        }

        private static @Nullable String address(String text, int ipv6Prefix) {
            IpAddress address = new IpAddress();
            if (!address.read(text)) {
                return null;
            }
            if (address.isIpv4() || ipv6Prefix == 128) {
                return address.toString();
            }
            address.mask(ipv6Prefix);
            return address.toString() + "/" + ipv6Prefix;
        }
    }
}
