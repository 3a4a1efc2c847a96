package dev.weir.internal.limiter.shared;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.algorithm.PermitLevels;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.lease.LeasedCounter;
import dev.weir.internal.lease.PermitLease;
import dev.weir.internal.limiter.check.CapacityChecks;
import dev.weir.internal.limiter.check.CheckWriter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.MeteredRules;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.check.VerdictWriter;
import dev.weir.internal.limiter.shared.ProbedDecision.Origin;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.report.ReportedCounter;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.DeadlineExtension;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.tier.LocalTier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Tells how requests would be decided now, and takes nothing. Whether the hits fit, and when they fit, is what a
 * decision would say. The remaining hits and the reset are those of the counter as it is, without the hits. Nothing is
 * observed or learned. It is meant for people and for the library's {@code probe}, and allocates.
 *
 * <p>Each check is answered where a decision would answer it, in the order of a decision: by a lease, a cached denial or
 * the reported counter of this process, else by its store, and by {@code on_fail} if that does not answer.
 */
public final class DecisionProbe {
    private final LocalStore local;
    private final SharedStores stores;
    private final TimeSource time;
    private final LimiterSettings settings;
    private final CheckWriter checkWriter;
    private final VerdictWriter verdictWriter;
    /** Null without shared stores. */
    private final @Nullable LocalTier tier;

    private final @Nullable FailurePolicy policy;

    public DecisionProbe(
            LocalStore local,
            SharedStores stores,
            TimeSource time,
            LimiterSettings settings,
            CheckWriter checkWriter,
            @Nullable LocalTier tier) {
        LimiterObserver nobody = new LimiterObserver() {};
        this.local = local;
        this.stores = stores;
        this.time = time;
        this.settings = settings;
        this.checkWriter = checkWriter;
        this.verdictWriter = new VerdictWriter(checkWriter, nobody);
        this.tier = tier;
        this.policy = tier == null ? null : new FailurePolicy(settings, nobody, tier);
    }

    /** Tells how this process would decide {@code request}; completes within the deadline of its rules. */
    public CompletionStage<ProbedDecision> decision(MeteredRules rules, Request request) {
        return new Probe(rules, request).start(true, 0);
    }

    /**
     * Tells what the stores of {@code request}'s counters know, without the leases, cached denials and reported counters
     * of this process; completes after {@code patienceMicros} at the latest.
     */
    public CompletionStage<ProbedDecision> counters(MeteredRules rules, Request request, long patienceMicros) {
        return new Probe(rules, request).start(false, patienceMicros);
    }

    /** The probe of one request. */
    private final class Probe {
        private final MeteredRules rules;
        private final Request request = Request.to("");
        private final Matches matches = Matches.named();
        private final Checks checks = new Checks();
        private final CompletableFuture<ProbedDecision> decided = new CompletableFuture<>();
        /** Asks in flight, plus one while they are being sent. */
        private final AtomicInteger underWay = new AtomicInteger(1);

        private @Nullable Origin[] origins = new Origin[0];

        Probe(MeteredRules rules, Request request) {
            this.rules = rules;
            this.request.set(request);
        }

        CompletionStage<ProbedDecision> start(boolean asThisProcess, long patienceMicros) {
            rules.index().match(request, matches);
            if (asThisProcess && rules.anyCapacity()) {
                CapacityChecks.shed(rules, request, matches);
            }
            checkWriter.write(rules, request, matches, checks);
            if (asThisProcess && rules.anyRegional() && tier != null) {
                new RegionalChecks().narrow(rules, matches, checks, tier.regions());
            }
            origins = new Origin[checks.size()];
            long now = time.micros();
            Map<Long, PlaceProbe> asks = new LinkedHashMap<>();
            for (int i = 0; i < origins.length; i++) {
                Check check = checks.get(i);
                check.countsDenied = false;
                origins[i] = asThisProcess ? knownHere(check, now) : null;
                if (!asThisProcess) {
                    countInItsStore(check);
                }
                if (origins[i] == null && check.store != Check.LOCAL) {
                    asks.computeIfAbsent(place(check), key -> new PlaceProbe(this, check.store))
                            .add(i, check);
                }
            }
            send(asks, 1_000 * (asThisProcess ? checkWriter.deadlineMicros(matches, checks) : patienceMicros));
            return decided;
        }

        private long place(Check check) {
            return ((long) check.store << Integer.SIZE)
                    | Integer.toUnsignedLong(stores.at(check.store).slot(check));
        }

        private void send(Map<Long, PlaceProbe> asks, long patienceNanos) {
            underWay.addAndGet(asks.size());
            long sent = time.nanos();
            for (PlaceProbe each : asks.values()) {
                each.deadlineNanos = sent + patienceNanos;
                each.patienceNanos = patienceNanos;
                each.graceNanos = DeadlineExtension.allowance(patienceNanos, Long.MAX_VALUE);
                stores.at(each.store).decide(each);
            }
            answered();
        }

        /** Sends the check of a reported counter to the store that it is reported to. */
        private void countInItsStore(Check check) {
            int place = reportPlace(check);
            check.store = place == Check.LOCAL ? check.store : place;
        }

        private int reportPlace(Check check) {
            Match match = matches.get(check.about);
            Rule rule = match.rule();
            boolean reported = check.store == Check.LOCAL && rule != null && !CheckWriter.isDenied(match);
            return reported ? rules.reportPlace(Objects.requireNonNull(rule)) : Check.LOCAL;
        }

        /** Answers {@code check} if this process needs no store for it; returns null if a store must be asked. */
        private @Nullable Origin knownHere(Check check, long now) {
            LocalTier known = tier;
            if (known == null) {
                return null;
            }
            int place = reportPlace(check);
            if (place != Check.LOCAL) {
                return reported(check, known, place, now);
            }
            if (check.store == Check.LOCAL) {
                return null;
            }
            Rule rule = matches.get(check.about).rule();
            boolean leased = rule != null && rules.isLeased(rule) && check.hits >= 0;
            LeasedCounter counter = leased ? known.leases().peek(check, new CounterKey()) : null;
            long nanos = time.nanos();
            if (counter != null && counter.covers(check.hits, nanos, time.wallMicros())) {
                counter.tell(check.outcome, nanos);
                check.leased = true;
                return Origin.LEASE;
            }
            boolean denied = check.role == Check.Role.ENFORCE
                    && check.hits > 0
                    && (known.believes(check, now) || (counter != null && counter.wouldRest(check, nanos)));
            return denied ? Origin.CACHED_DENIAL : null;
        }

        private @Nullable Origin reported(Check check, LocalTier known, int place, long now) {
            ReportedCounter counter = known.reports().peek(check, new CounterKey(), place);
            if (counter == null && !known.hasRoom()) {
                check.store = place; // asked exactly, as a decision would
                return null;
            }
            boolean denied = counter != null
                    && check.role == Check.Role.ENFORCE
                    && check.hits > 0
                    && counter.wouldDeny(check, now);
            return denied ? Origin.REPORTS : null;
        }

        /** Takes over what one place answered. */
        void answered(PlaceProbe from) {
            for (int i = 0; i < from.checks.size(); i++) {
                Check check = checks.get(from.indices[i]);
                check.outcome.set(from.checks.get(i).outcome);
                check.failure = from.checks.get(i).failure;
                addUnused(check);
                origins[from.indices[i]] = Origin.STORE;
            }
            answered();
        }

        /** Counts the permits of this process that are in flight, rather than its level, which has room for others. */
        private void addUnused(Check check) {
            PermitLease lease = check.meter instanceof PermitLevels && tier != null
                    ? tier.permits().peek(check, new CounterKey())
                    : null;
            if (lease != null) {
                long most = check.meter == null ? 0 : check.meter.limit().requests();
                long unused = lease.unused();
                check.outcome.remaining = Math.min(most, check.outcome.remaining + unused);
                if (check.failure == null && check.hits > 0 && unused >= check.hits) {
                    check.outcome.allowed = true;
                    check.outcome.retryAfter = 0;
                }
            }
        }

        private void answered() {
            if (underWay.decrementAndGet() == 0) {
                try {
                    decided.complete(conclude(time.micros()));
                } catch (RuntimeException | Error e) {
                    decided.completeExceptionally(e);
                }
            }
        }

        private ProbedDecision conclude(long now) {
            for (int i = 0; i < origins.length; i++) {
                Check check = checks.get(i);
                if (check.failure != null) {
                    boolean settled =
                            Objects.requireNonNull(policy).settle(rules, matches.get(check.about), check, now);
                    // Without a failure left, a denial that was cached before holds.
                    origins[i] = !settled ? null : check.failure == null ? Origin.CACHED_DENIAL : Origin.ON_FAIL;
                }
            }
            askHere(now);
            MutableDecision decision = new MutableDecision();
            decision.begin(now);
            verdictWriter.write(request, matches, checks, decision);
            VerdictWriter.end(matches, checks, decision, false, checks.allowed() || settings.shadow()); // holds nothing
            Map<Long, Origin> byCounter = new HashMap<>();
            for (int i = 0; i < origins.length; i++) {
                byCounter.put(matches.get(checks.get(i).about).key0(), Objects.requireNonNull(origins[i], "origin"));
            }
            return new ProbedDecision(decision, byCounter);
        }

        /** Answers the checks that this process counts, all together, as a decision would. */
        private void askHere(long now) {
            Checks group = new Checks();
            int[] indices = new int[origins.length];
            for (int i = 0; i < origins.length; i++) {
                if (origins[i] == null) {
                    indices[group.size()] = i;
                    group.add().set(checks.get(i));
                }
            }
            int count = group.size();
            if (count == 0) {
                return;
            }
            RequestPlaces.addDenial(group);
            local.decide(group, now);
            for (int i = 0; i < count; i++) {
                Check check = checks.get(indices[i]);
                check.outcome.set(group.get(i).outcome);
                origins[indices[i]] = check.failure != null
                        ? Origin.ON_FAIL
                        : reportPlace(check) == Check.LOCAL ? Origin.MEMORY : Origin.REPORTS;
            }
        }
    }

    /** The checks of a probe that one place of a shared store answers. */
    private static final class PlaceProbe extends Ask {
        private final Probe probe;
        final int store;
        private int[] indices = new int[4];

        PlaceProbe(Probe probe, int store) {
            this.probe = probe;
            this.store = store;
            denied = true; // so that nothing is taken
        }

        void add(int index, Check check) {
            if (checks.size() == indices.length) {
                indices = Arrays.copyOf(indices, 2 * indices.length);
            }
            indices[checks.size()] = index;
            checks.add().set(check);
        }

        @Override
        public void answered() {
            probe.answered(this);
        }
    }
}
