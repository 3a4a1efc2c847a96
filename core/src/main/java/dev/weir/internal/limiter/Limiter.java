package dev.weir.internal.limiter;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.ban.BanTable;
import dev.weir.internal.explain.VerdictExplanation;
import dev.weir.internal.limiter.check.CapacityChecks;
import dev.weir.internal.limiter.check.CapacityGates;
import dev.weir.internal.limiter.check.CheckWriter;
import dev.weir.internal.limiter.check.HoldChecks;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.MeterCache;
import dev.weir.internal.limiter.check.MeteredRules;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.check.VerdictWriter;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.limiter.shared.DecisionProbe;
import dev.weir.internal.limiter.shared.PermitReturns;
import dev.weir.internal.limiter.shared.ProbedDecision;
import dev.weir.internal.limiter.shared.SharedPath;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.tier.LocalTier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests without blocking; it allocates only the decision that it returns. It is thread-safe, and one request
 * uses the same rule index from beginning to end.
 *
 * <p>Checks that this process counts are decided at once. Checks of shared stores are decided
 * {@linkplain WaiterSupplier later}, within the deadline of their rules, whatever the stores do.
 */
public final class Limiter {
    /** The interval at which {@link #tick} is called. */
    public static final int TICK_MILLIS = 50;

    private final LocalStore store;
    private final SharedStores stores;
    private final TimeSource time;
    private final LimiterSettings settings;
    private final LimiterObserver observer;
    private final CheckWriter checkWriter;
    private final VerdictWriter verdictWriter;
    private final @Nullable SharedPath shared;
    private final DecisionProbe prober;
    private final PermitReturns permits;
    private final Holds holds;
    private final CapacityGates capacity = new CapacityGates();
    private volatile MeteredRules rules;
    /** The entries that ban or exempt requests; null if there are none, so that a decision pays nothing for them. */
    private volatile @Nullable BanTable bans;

    /** Creates a limiter whose counters all live in {@code store}; compiles {@code rules}. */
    public Limiter(
            WrittenRules rules, LocalStore store, TimeSource time, LimiterSettings settings, LimiterObserver observer) {
        this(rules, store, SharedStores.none(), time, settings, observer);
    }

    /**
     * Creates a limiter whose counters live in {@code stores}. Two kinds of counters live in {@code store} instead:
     * those of rules with {@code consistency: local}, and those of rules with {@code on_fail: local} while a shared
     * store does not answer.
     *
     * @throws IllegalArgumentException if a limit cannot be counted, or a rule's store is not among {@code stores}
     */
    public Limiter(
            RuleIndex index,
            LocalStore store,
            SharedStores stores,
            TimeSource time,
            LimiterSettings settings,
            LimiterObserver observer) {
        this.rules = MeteredRules.of(index, stores, settings, capacity);
        this.store = store;
        this.stores = stores;
        this.time = time;
        this.settings = settings;
        this.observer = observer;
        MeterCache overrides = new MeterCache();
        this.checkWriter =
                new CheckWriter(settings, overrides, stores.place(Rule.DEFAULT_STORE), stores.perSecondPlace());
        this.verdictWriter = new VerdictWriter(checkWriter, observer);
        this.shared = stores.isEmpty()
                ? null
                : new SharedPath(store, stores, time, settings, observer, checkWriter, verdictWriter);
        this.prober = new DecisionProbe(store, stores, time, settings, checkWriter, tier());
        this.permits = new PermitReturns(
                store, stores, time, shared == null ? null : shared.tier().permits());
        this.holds = new Holds(this, time);
    }

    /** Creates the same from rules as written: compiles them. */
    public Limiter(
            WrittenRules rules,
            LocalStore store,
            SharedStores stores,
            TimeSource time,
            LimiterSettings settings,
            LimiterObserver observer) {
        this(compiled(rules, settings), store, stores, time, settings, observer);
    }

    /** The stores whose counters other processes share. */
    public SharedStores stores() {
        return stores;
    }

    /** The local tier, which answers for shared counters without asking their stores; null without shared stores. */
    public @Nullable LocalTier tier() {
        return shared == null ? null : shared.tier();
    }

    /**
     * Gives back expired leases, and reports counts that are due. The owner must call it about every
     * {@value #TICK_MILLIS} ms, because the limiter has no timer or thread. If called late, leases and reports are
     * returned late; expired leases are never spent.
     */
    public void tick() {
        if (shared != null) {
            shared.tier().tick();
        }
    }

    /**
     * Gives back all leases, reports all counts, and stops leasing: later decisions ask their store. Completes when the
     * stores have answered or failed, which happens within their deadline.
     */
    public CompletionStage<Void> returnLeases() {
        return shared == null
                ? CompletableFuture.completedFuture(null)
                : shared.tier().close();
    }

    /** Releases and renews the permits that decisions took. */
    public PermitReturns permits() {
        return permits;
    }

    /** The gates of services with a capacity. */
    public CapacityGates capacity() {
        return capacity;
    }

    LimiterObserver observer() {
        return observer;
    }

    /** Reserves hits and settles them. */
    public Holds holds() {
        return holds;
    }

    /** The rules in force, as written. */
    public WrittenRules rules() {
        return rules.index().source();
    }

    /** The rules in force, compiled. */
    public RuleIndex index() {
        return rules.index();
    }

    /**
     * Compiles {@code next}, without switches or overrides, and puts it in force for every later request.
     *
     * @throws IllegalArgumentException if a limit cannot be counted, or a rule's store does not exist; the last rules
     *     stay
     */
    public void rules(WrittenRules next) {
        index(compiled(next, settings));
    }

    private static RuleIndex compiled(WrittenRules rules, LimiterSettings settings) {
        return RuleIndex.of(rules, OverrideLookup.NONE, RuleSwitches.NONE, settings.endpointForm());
    }

    /**
     * Puts {@code next} in force for every later request.
     *
     * @throws IllegalArgumentException if a limit cannot be counted, or a rule's store does not exist; the last rules
     *     stay
     */
    public void index(RuleIndex next) {
        MeteredRules metered = MeteredRules.of(next, stores, settings, capacity);
        rules = metered;
        if (shared != null) {
            shared.tier().retainIf(metered::leasesAlike);
        }
    }

    /** Puts {@code next} in force for every later request. */
    public void bans(BanTable next) {
        bans = next.isEmpty() ? null : next;
    }

    /** The entry that decides about {@code request}, or exempts it; null if there is none. Counts nothing. */
    public @Nullable Ban ban(Request request) {
        BanTable table = bans;
        return table == null ? null : find(table, rules, request, time.micros());
    }

    /**
     * Decides {@code request} now.
     *
     * @throws IllegalStateException if a shared store must be asked: use {@link #decideAsync}
     */
    public MutableDecision decide(Request request) {
        MutableDecision decision = new MutableDecision();
        decide(request, time.micros(), decision);
        return decision;
    }

    /**
     * Decides {@code request} at {@code nowMicros} into a decision that the caller reuses.
     *
     * @throws IllegalStateException if a shared store must be asked
     */
    public void decide(Request request, long nowMicros, MutableDecision into) {
        if (bans != null && decideByBan(request, nowMicros, into, true)) {
            return;
        }
        if (shared == null) {
            decideHere(request, nowMicros, into, true, null);
        } else {
            shared.decide(rules, request, nowMicros, into, Limiter::noWaiter, null, true, null);
        }
    }

    /**
     * Decides {@code request} at {@code nowMicros}. If no shared store must be asked, it fills {@code into} and returns
     * true. Otherwise it returns false, and calls the waiter of {@code later} on the waiter's home. A home that runs
     * tasks at once may call the waiter before this returns. The caller may reuse the request as soon as this returns.
     */
    public boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later) {
        return decide(request, nowMicros, into, later, null);
    }

    /**
     * Decides as above, and charges a request with {@code idempotency} once, however often and to whichever process it
     * is sent. Counters of this process are charged every time: only the caller can remember the key for them.
     */
    public boolean decide(
            Request request,
            long nowMicros,
            MutableDecision into,
            WaiterSupplier later,
            @Nullable Idempotency idempotency) {
        return decide(request, nowMicros, into, later, idempotency, true, null);
    }

    /**
     * Decides as above, but does not tell the observer of a denial: the caller may decide the request again, and tells it
     * of the last denial.
     */
    public boolean tryDecide(
            Request request,
            long nowMicros,
            MutableDecision into,
            WaiterSupplier later,
            @Nullable Idempotency idempotency) {
        return decide(request, nowMicros, into, later, idempotency, false, null);
    }

    private boolean decide(
            Request request,
            long nowMicros,
            MutableDecision into,
            WaiterSupplier later,
            @Nullable Idempotency idempotency,
            boolean isLast,
            @Nullable HoldChecks hold) {
        if (bans != null && (hold == null || hold.isReserving()) && decideByBan(request, nowMicros, into, isLast)) {
            return true;
        }
        if (shared == null) {
            decideHere(request, nowMicros, into, isLast, hold);
            return true;
        }
        return shared.decide(rules, request, nowMicros, into, later, idempotency, isLast, hold);
    }

    /**
     * Decides {@code request}, and completes when its stores have answered or failed. The stage completes on this
     * thread or on a thread of the store, so dependent stages must not block.
     */
    public CompletionStage<MutableDecision> decideAsync(Request request) {
        return decideAsync(request, null, null);
    }

    CompletionStage<MutableDecision> decideAsync(
            Request request, @Nullable Idempotency idempotency, @Nullable HoldChecks hold) {
        MutableDecision decision = new MutableDecision();
        CompletableFuture<MutableDecision> decided = new CompletableFuture<>();
        WaiterSupplier later = () -> new Waiter() {
            @Override
            public Executor home() {
                return Runnable::run;
            }

            @Override
            public void decided(Request ignored, MutableDecision buffer) {
                decision.set(buffer);
                decided.complete(decision);
            }
        };
        boolean here = decide(request, time.micros(), decision, later, idempotency, true, hold);
        if (here) {
            decided.complete(decision);
        }
        return decided;
    }

    /**
     * Tells how this process would decide {@code request} now: which hits fit, and when. Takes nothing. Completes as
     * {@link #decideAsync} does.
     */
    public CompletionStage<ProbedDecision> probe(Request request) {
        return prober.decision(rules, request);
    }

    /**
     * Tells the same by the stores of the counters alone, without the leases, cached denials and reported counters of
     * this process. Takes nothing, and completes after {@code patience} at the latest.
     */
    public CompletionStage<ProbedDecision> probeCounters(Request request, Duration patience) {
        return prober.counters(rules, request, patience.toNanos() / 1_000);
    }

    /** Returns the counters of {@code request}, for administration; asks no store and takes nothing. */
    public List<RuleCounter> counters(Request request) {
        MeteredRules current = rules;
        Matches matches = Matches.named();
        Checks checks = new Checks();
        current.index().match(request, matches);
        checkWriter.write(current, request, matches, checks);
        List<RuleCounter> counters = new ArrayList<>();
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            Match match = matches.get(check.about);
            Rule rule = match.rule();
            if (!CheckWriter.isDenied(match)) {
                if (check.store == Check.LOCAL && rule != null) {
                    check.store = current.reportPlace(rule); // decided here, and still another's counter
                }
                counters.add(new RuleCounter(rule, check));
            }
        }
        return counters;
    }

    /**
     * Deletes the state of {@code counter} in this process. The caller deletes it in the shared store, if there is one,
     * first.
     */
    public boolean forget(RuleCounter counter) {
        if (shared != null) {
            shared.tier().forget(counter.check());
        }
        return store.forget(counter.check());
    }

    /** Explains {@code verdict}, one of the decision on {@code request}, to people. */
    public VerdictExplanation explain(Request request, MutableVerdict verdict) {
        return VerdictExplanation.of(verdict, rules.index().counter(request, verdict));
    }

    private static @Nullable Ban find(BanTable table, MeteredRules rules, Request request, long nowMicros) {
        return table.find(request, nowMicros, rules.index().everything() != SwitchState.OFF);
    }

    /** Whether there is any entry that bans, watches or exempts. */
    public boolean hasBans() {
        return bans != null;
    }

    /** The kind of ban that holds for {@code request}: {@code BAN}, {@code SHADOW}, or null. Counts nothing. */
    public @Nullable BanKind enforcedBan(Request request) {
        Ban ban = ban(request);
        return ban == null || ban.kind() == BanKind.ALLOW || !isEnforced(ban, rules) ? null : ban.kind();
    }

    private boolean isEnforced(Ban ban, MeteredRules current) {
        boolean shadow =
                settings.shadow() || (ban.automatic() && current.index().everything() == SwitchState.SHADOW);
        return ban.kind() != BanKind.WATCH && !shadow;
    }

    /** Decides {@code request} if it is banned or shadow banned; returns whether it is. */
    private boolean decideByBan(Request request, long nowMicros, MutableDecision into, boolean isLast) {
        BanTable table = bans;
        MeteredRules current = rules;
        // A request that returns hits is never banned: they were taken before the ban.
        Ban ban = table == null || request.givesBack() ? null : find(table, current, request, nowMicros);
        if (ban == null || ban.kind() == BanKind.ALLOW) {
            return false;
        }
        boolean enforced = isEnforced(ban, current);
        observer.banned(ban, enforced);
        if (!enforced) {
            return false;
        }
        into.begin(nowMicros);
        into.ban(ban);
        if (ban.kind() == BanKind.SHADOW) {
            pretend(current, request, nowMicros, into);
        } else {
            into.end(false);
        }
        if (isLast || into.allowed()) {
            observer.decided(request, into);
        }
        return true;
    }

    /** Writes the verdicts of a request that passes and charges nothing; its caller must not see the difference. */
    private void pretend(MeteredRules current, Request request, long nowMicros, MutableDecision into) {
        DecisionScratch scratch = DecisionScratch.take();
        try {
            current.index().match(request, scratch.matches);
            Checks checks = scratch.checks;
            checkWriter.write(current, request, scratch.matches, checks);
            Pretence.decide(checks, store, nowMicros);
            verdictWriter.write(request, scratch.matches, checks, into);
            VerdictWriter.end(scratch.matches, checks, into, true, false);
            into.noneTaken();
        } finally {
            scratch.release();
        }
    }

    private void decideHere(
            Request request, long nowMicros, MutableDecision into, boolean isLast, @Nullable HoldChecks hold) {
        into.begin(nowMicros);
        MeteredRules current = rules;
        boolean settles = hold != null && !hold.isReserving(); // which is no decision on a request
        DecisionScratch scratch = DecisionScratch.take();
        try {
            current.index().match(request, scratch.matches);
            Checks checks = scratch.checks;
            if (current.anyCapacity() && !settles) {
                CapacityChecks.shed(current, request, scratch.matches);
            }
            checkWriter.write(current, request, scratch.matches, checks, hold);
            boolean allowed = checks.size() == 0 ? checks.allowed() : store.decide(checks, nowMicros);
            if (hold != null) {
                hold.decided(scratch.matches, checks);
            }
            verdictWriter.write(request, scratch.matches, checks, into);
            VerdictWriter.end(scratch.matches, checks, into, allowed, settings.shadow());
            if (current.anyCapacity() && !settles && (isLast || into.allowed())) {
                CapacityChecks.decided(current, scratch.matches, checks, into, nowMicros);
            }
        } finally {
            scratch.release();
        }
        if (!settles && (isLast || into.allowed())) {
            observer.decided(request, into);
        }
    }

    private static Waiter noWaiter() {
        throw new IllegalStateException("a shared store has to be asked (expected: decideAsync, or a Later)");
    }
}
