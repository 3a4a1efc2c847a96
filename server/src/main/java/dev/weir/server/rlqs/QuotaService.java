package dev.weir.server.rlqs;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Holds;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.shared.ProbedDecision;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.grpc.service.GrpcService;
import dev.weir.server.grpc.service.GrpcServiceCall;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.rls.RequestCaps;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code envoy.service.rate_limit_quota.v3.RateLimitQuotaService}: Envoys spend hits by themselves that this
 * server paid for.
 *
 * <p><b>Exact.</b> Every grant is a {@linkplain Holds hold}: its hits are taken from the counters of all rules that the
 * bucket meets, all or nothing, before Envoy gets them. Reports settle holds, and what was not spent goes back into its
 * window. Hits that no report tells of stay spent. Servers need no agreement, because the store is the only account.
 *
 * <p><b>One thread.</b> All state belongs to the worker, which also parses the messages: an event loop that decides
 * requests only passes them on.
 *
 * <p><b>No Envoy takes the room of the others.</b> Every budget is a {@link PeerBudget}, and the worker takes reports and
 * calls of the stores from each address in turn.
 */
public final class QuotaService implements GrpcService, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(QuotaService.class.getName());

    /** The period of {@link #tick}. */
    public static final Duration TICK = Duration.ofMillis(100);

    /** The most buckets on one stream. */
    private static final int MOST_OF_STREAM = 50_000;

    /** The grants that a bucket keeps if there is no memory for more. */
    private static final int FEW_GRANTS = 4;

    /** Reports in a row without a request until a bucket is abandoned. */
    private static final int MOST_IDLE = 3;

    /** The least time between two log lines of one kind. */
    private static final long LOG_MICROS = 10_000_000;

    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** The reports, and their usages, after which a task of the worker ends. */
    private static final int MOST_AT_ONCE = 500;

    /** How often a grant that is denied is tried again with what its limit has left. */
    private static final int TRIES = 3;

    private final Limiter limiter;
    private final TimeSource time;
    private final UsageReportReader reader;
    private final Executor worker;
    private final @Nullable ExecutorService own;
    private final Consumer<Throwable> failures;
    private final Supplier<GrantLedger> ledgers;
    private final ReportInbox inbox;
    private final PeerBudget places;
    private final PeerBudget memory;

    private final Map<GrpcServiceCall, QuotaStream> streams = new HashMap<>();
    /** In the order of their arrival, so that a simulation can be repeated. */
    private final Map<QuotaBucketId, QuotaGroup> groups = new LinkedHashMap<>();

    private final StoreCalls calls;
    /** Streams with assignments to send. */
    private final Set<QuotaStream> unsent = new LinkedHashSet<>();

    private long loggedMicros = Long.MIN_VALUE / 2;
    private volatile int openStreams;
    private final AtomicInteger buckets = new AtomicInteger();
    private boolean saidFull;
    /** Whether a tick waits for the worker. */
    private final AtomicBoolean ticking = new AtomicBoolean();

    private final LongAdder reports = new LongAdder();
    private final LongAdder grantedHits = new LongAdder();
    private final LongAdder returnedHits = new LongAdder();
    private final LongAdder refusedBuckets = new LongAdder();

    /** Creates a service with a worker thread of its own; {@code failures} gets whatever its tasks throw. */
    public QuotaService(Limiter limiter, TimeSource time, RequestCaps caps, Consumer<Throwable> failures) {
        this(
                limiter,
                time,
                caps,
                Executors.newSingleThreadExecutor(DaemonThreads.named("weir-quotas")),
                true,
                QuotaBounds.ofThisHeap(),
                failures,
                GrantLedger::new);
    }

    /** Creates a service on {@code worker}, which runs one task at a time. */
    QuotaService(
            Limiter limiter,
            TimeSource time,
            RequestCaps caps,
            Executor worker,
            QuotaBounds bounds,
            Consumer<Throwable> failures,
            Supplier<GrantLedger> ledgers) {
        this(limiter, time, caps, worker, false, bounds, failures, ledgers);
    }

    private QuotaService(
            Limiter limiter,
            TimeSource time,
            RequestCaps caps,
            Executor worker,
            boolean owned,
            QuotaBounds bounds,
            Consumer<Throwable> failures,
            Supplier<GrantLedger> ledgers) {
        this.limiter = limiter;
        this.time = time;
        this.reader = new UsageReportReader(caps);
        this.worker = worker;
        this.own = owned ? (ExecutorService) worker : null;
        this.inbox = new ReportInbox(bounds.waiting());
        this.places = new PeerBudget(bounds.buckets());
        this.memory = new PeerBudget(bounds.memory());
        this.failures = failures;
        this.ledgers = ledgers;
        this.calls = new StoreCalls(this::onWorker);
    }

    @Override
    public void message(GrpcServiceCall call, GrpcMethod method, byte[] message) throws GrpcCallException {
        if (inbox.open(call)) {
            call.onGone(() -> {
                inbox.close(call);
                onWorker(() -> gone(call));
            });
        } else if (message.length == 0) {
            return; // a report of nothing, on a stream that has said its domain
        }
        if (inbox.add(call, message)) {
            onWorker(this::readNext);
        }
    }

    /** Works on some reports, so that Envoys that come at once divide a limit once; between two tasks, stores are heard. */
    private void readNext() {
        boolean more = true;
        try {
            int usages = 0;
            for (int i = 0; more && i < MOST_AT_ONCE && usages < MOST_AT_ONCE; i++) {
                ReportInbox.Received next = inbox.poll();
                more = next != null;
                usages += next == null ? 0 : reported(next.call(), next.message());
            }
        } finally {
            if (more) {
                onWorker(this::readNext);
            }
        }
    }

    /** Pushes grants to the buckets that have likely spent theirs. */
    public void tick() {
        if (openStreams > 0 && ticking.compareAndSet(false, true)) {
            onWorker(() -> {
                ticking.set(false);
                streams.values().forEach(QuotaStream::tick);
                long now = time.micros();
                for (QuotaGroup group : groups.values()) {
                    if (group.tick() || needs(group, now)) {
                        ask(group);
                    }
                }
            });
        }
    }

    private void onWorker(Runnable work) {
        try {
            worker.execute(() -> {
                try {
                    work.run();
                } catch (RuntimeException | Error e) {
                    unexpected(e);
                } finally {
                    flush();
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "quota service: closed", e);
        }
    }

    /** Notes a failure of a task, perhaps because memory ran out; the worker goes on. */
    private void unexpected(Throwable failure) {
        failures.accept(failure);
        LOG.log(Level.ERROR, "quota service: a task failed; its buckets are assigned later", failure);
    }

    private void flush() {
        try {
            unsent.forEach(QuotaStream::flush);
        } catch (RuntimeException | Error e) {
            unexpected(e);
        } finally {
            unsent.clear();
        }
    }

    /** Works on a report; returns the number of its usages. */
    private int reported(GrpcServiceCall call, byte[] message) {
        if (!inbox.isOpen(call)) {
            return 0; // the stream ended meanwhile
        }
        UsageReport report;
        QuotaStream stream;
        try {
            stream = stream(call);
            report = reader.read(message, stream.domain());
        } catch (GrpcCallException e) {
            call.end(e.status(), e.text());
            gone(call);
            inbox.close(call);
            return 0;
        }
        reports.increment();
        stream.reported(report.domain(), time.wallMicros());
        RuleIndex rules = limiter.index();
        for (UsageReport.Usage usage : report.usages()) {
            QuotaBucket bucket = stream.buckets().get(usage.bucket());
            if (bucket == null) {
                first(stream, usage);
            } else {
                again(stream, bucket, usage, rules);
            }
        }
        return report.usages().size();
    }

    private QuotaStream stream(GrpcServiceCall call) throws GrpcCallException {
        QuotaStream known = streams.get(call);
        if (known != null) {
            return known;
        }
        QuotaStream stream = new QuotaStream(call, places, memory, time.wallMicros());
        if (!stream.memory().take(QuotaStream.STREAM_BYTES)) {
            throw new GrpcCallException(
                    GrpcStatus.RESOURCE_EXHAUSTED,
                    "too many quota streams and buckets (expected: fewer of an address)");
        }
        streams.put(call, stream);
        openStreams = streams.size();
        return stream;
    }

    private void first(QuotaStream stream, UsageReport.Usage usage) {
        if (usage.asked() == 0 && isNearlyFull(stream)) {
            // Envoy never drops a bucket by itself: its reports would only grow.
            abandon(stream, usage.bucket());
            return;
        }
        if (!takeRoom(stream, usage.bucket())) {
            refusedBuckets.increment();
            if (!saidFull) {
                saidFull = true;
                LOG.log(
                        Level.WARNING,
                        "too many quota buckets of " + stream.peer() + " (expected: at most " + MOST_OF_STREAM
                                + " on a stream, " + QuotaGroup.MOST_MEMBERS + " of one name, and of an address half of"
                                + " what the others leave): Envoy follows no_assignment_behavior for further ones");
            }
            return;
        }
        QuotaGroup group = groups.computeIfAbsent(usage.bucket(), QuotaGroup::new);
        QuotaBucket bucket = new QuotaBucket(stream, group, ledgers.get(), usage.allowed(), time.micros());
        stream.buckets().put(group.id(), bucket);
        group.add(bucket);
        buckets.incrementAndGet();
        askSoon(group, stream);
    }

    /** Charges for a bucket of {@code id} on {@code stream}; returns false if there is no room. */
    private boolean takeRoom(QuotaStream stream, QuotaBucketId id) {
        QuotaGroup group = groups.get(id);
        if (stream.buckets().size() >= MOST_OF_STREAM
                || (group != null && group.members().size() >= QuotaGroup.MOST_MEMBERS)
                || !stream.places().take(1)) {
            return false;
        }
        if (!stream.memory().take(id.bytes())) {
            stream.places().add(-1);
            return false;
        }
        return true;
    }

    private void abandon(QuotaStream stream, QuotaBucketId id) {
        if (!stream.isBehind()) {
            stream.assignments().abandon(id);
            unsent.add(stream);
        }
    }

    private void again(QuotaStream stream, QuotaBucket bucket, UsageReport.Usage usage, RuleIndex rules) {
        long now = time.micros();
        bucket.demand().report(usage.asked(), now);
        int before = bucket.ledger().size();
        for (GrantLedger.Settled each : bucket.ledger().reported(usage.allowed(), now, time.wallMicros())) {
            settle(bucket, each);
        }
        chargeGrants(bucket, before);
        int idle = bucket.reported(usage.asked() == 0, now);
        if (idle >= MOST_IDLE || (idle > 0 && isNearlyFull(stream))) {
            abandon(stream, bucket.group().id());
            stream.buckets().remove(bucket.group().id());
            forget(bucket);
            return;
        }
        BanKind ban =
                limiter.hasBans() ? limiter.enforcedBan(bucket.group().id().request(1)) : null;
        bucket.compare(new QuotaBucket.InForce(rules, ban));
        if (bucket.needsAfterReport(now)) {
            askSoon(bucket.group(), stream);
        }
        if (bucket.assignment() == QuotaBucket.Assignment.ALLOW_ALL
                && usage.allowed() > 0
                && bucket.passed(usage.allowed())
                && !calls.add(StoreCalls.Kind.AFTERWARDS, stream.address(), () -> count(bucket))) {
            bucket.takePassed();
        }
    }

    /** Charges for the grants that a bucket has now, and had {@code before} of. */
    private static void chargeGrants(QuotaBucket bucket, int before) {
        int more = bucket.ledger().size() - before;
        if (more != 0) {
            bucket.stream().memory().add((long) more * GrantLedger.GRANT_BYTES);
        }
    }

    /** Whether buckets without requests must make room for others at once. */
    private static boolean isNearlyFull(QuotaStream stream) {
        return stream.buckets().size() > MOST_OF_STREAM / 4 * 3
                || stream.places().isNearlyFull()
                || stream.memory().isNearlyFull();
    }

    /** Counts what Envoy let through unlimited, for rules in shadow mode; without any rule this touches no counter. */
    private CompletionStage<?> count(QuotaBucket bucket) {
        return limiter.decideAsync(bucket.group().id().request(bucket.takePassed()));
    }

    private void settle(QuotaBucket bucket, GrantLedger.Settled settled) {
        returnedHits.add(settled.returned());
        QuotaBucketId id = bucket.group().id();
        Request spent = Request.to("").hits(Rule.REQUESTS, settled.spent());
        calls.add(
                StoreCalls.Kind.AFTERWARDS,
                bucket.stream().address(),
                () -> limiter.holds().settleOwned(settled.paid().hold(id.request(1)), spent));
    }

    private void gone(GrpcServiceCall call) {
        QuotaStream stream = streams.remove(call);
        openStreams = streams.size();
        if (stream != null) {
            stream.buckets().values().forEach(this::forget);
            stream.memory().add(-QuotaStream.STREAM_BYTES);
            unsent.remove(stream);
        }
    }

    private void forget(QuotaBucket bucket) {
        bucket.gone();
        QuotaGroup group = bucket.group();
        group.remove(bucket);
        buckets.decrementAndGet();
        bucket.stream().places().add(-1);
        bucket.stream()
                .memory()
                .add(-group.id().bytes() - (long) bucket.ledger().size() * GrantLedger.GRANT_BYTES);
        if (group.members().isEmpty()) {
            groups.remove(group.id());
        }
    }

    private static boolean needs(QuotaGroup group, long now) {
        for (QuotaBucket each : group.members()) {
            if (each.needs(now)) {
                return true;
            }
        }
        return false;
    }

    /** Asks for a group that a report on {@code stream} is about: at once, unless that is too much work for one report. */
    private void askSoon(QuotaGroup group, QuotaStream stream) {
        if (!group.waitsForTick()) {
            ask(group, stream);
        }
    }

    private void ask(QuotaGroup group) {
        ask(group, group.members().get(0).stream());
    }

    /** Asks the limiter on which terms the group may spend, now or when others have asked; it is the turn of {@code asker}. */
    private void ask(QuotaGroup group, QuotaStream asker) {
        if (group.begin()) {
            boolean first = group.members().stream().anyMatch(each -> each.assignment() == QuotaBucket.Assignment.NONE);
            StoreCalls.Kind kind = first ? StoreCalls.Kind.FIRST_TERMS : StoreCalls.Kind.TERMS;
            calls.add(kind, asker.address(), () -> probe(group));
        }
    }

    private CompletionStage<?> probe(QuotaGroup group) {
        Request one = group.id().request(1);
        QuotaBucket.InForce inForce = new QuotaBucket.InForce(limiter.index(), limiter.enforcedBan(one));
        CompletionStage<ProbedDecision> probed;
        try {
            probed = limiter.probeCounters(one, PATIENCE);
        } catch (RuntimeException e) {
            probed = CompletableFuture.failedStage(e);
        }
        return probed.whenComplete((decision, failure) -> onWorker(() -> {
            boolean assigning = false;
            try {
                if (failure != null) {
                    failed(failure);
                } else {
                    assign(group, QuotaGroup.terms(decision.decision(), inForce.ban(), time.micros()), inForce);
                    assigning = true;
                }
            } finally {
                if (!assigning) {
                    asked(group);
                }
            }
        }));
    }

    /** Logs a failure, unless one was logged in the last seconds: many buckets may fail for one cause. */
    private void failed(Throwable failure) {
        failures.accept(failure);
        long now = time.micros();
        if (now - loggedMicros >= LOG_MICROS) {
            loggedMicros = now;
            LOG.log(Level.WARNING, "quota service: buckets cannot be assigned; they are tried again", failure);
        }
    }

    private void assign(QuotaGroup group, QuotaGroup.Terms terms, QuotaBucket.InForce inForce) {
        long now = time.micros();
        List<QuotaBucket> members = List.copyOf(group.members());
        boolean[] needing = new boolean[members.size()];
        for (int i = 0; i < needing.length; i++) {
            needing[i] = members.get(i).needsAfterReport(now);
        }
        boolean grants = terms.assignment() == QuotaBucket.Assignment.GRANT;
        long[] shares = grants ? group.shares(needing, terms, now) : new long[needing.length];
        int[] pending = {1};
        Runnable done = () -> {
            if (--pending[0] == 0) {
                asked(group);
            }
        };
        for (int i = 0; i < needing.length; i++) {
            QuotaBucket bucket = members.get(i);
            if (needing[i]) {
                bucket.knows(inForce);
            }
            if (needing[i] && !grants) {
                blanket(bucket, terms.assignment(), now);
            } else if (needing[i] && shares[i] == 0) {
                exhausted(bucket, terms, now);
            } else if (needing[i]) {
                pending[0]++;
                long share = shares[i];
                reserveSoon(bucket, share, terms, TRIES, done);
            }
        }
        done.run();
    }

    private void reserveSoon(QuotaBucket bucket, long hits, QuotaGroup.Terms terms, int tries, Runnable done) {
        calls.add(StoreCalls.Kind.GRANT, bucket.stream().address(), () -> reserve(bucket, hits, terms, tries, done));
    }

    private CompletionStage<?> reserve(
            QuotaBucket bucket, long hits, QuotaGroup.Terms terms, int tries, Runnable done) {
        CompletionStage<Holds.Reserved> reserved;
        try {
            reserved = limiter.holds().reserveOwned(bucket.group().id().request(hits));
        } catch (RuntimeException e) {
            reserved = CompletableFuture.failedStage(e);
        }
        return reserved.whenComplete((result, failure) -> onWorker(() -> {
            boolean again = false;
            try {
                if (failure != null) {
                    failed(failure);
                } else if (result.decision().allowed()) {
                    grant(bucket, hits, terms, result.hold());
                } else if (!bucket.isGone()) {
                    long left = QuotaGroup.leftOf(result.decision(), hits);
                    again = left > 0 && tries > 1;
                    if (again) {
                        reserveSoon(bucket, left, terms, tries - 1, done);
                    } else {
                        exhausted(bucket, terms, time.micros());
                    }
                }
            } finally {
                if (!again) {
                    done.run();
                }
            }
        }));
    }

    private void grant(QuotaBucket bucket, long hits, QuotaGroup.Terms terms, @Nullable HeldRequest hold) {
        if (bucket.isGone()) {
            if (hold != null) { // Envoy never heard of it
                settle(bucket, new GrantLedger.Settled(GrantLedger.Payment.of(hold), hits, 0));
            }
            return;
        }
        long before = bucket.pay(hits);
        long granted = hits - before;
        grantedHits.add(granted);
        int kept = bucket.ledger().size();
        GrantLedger.Payment paid = hold == null ? null : GrantLedger.Payment.of(hold);
        boolean room = bucket.stream().memory().hasRoom(GrantLedger.GRANT_BYTES);
        int most = room ? GrantLedger.MOST : FEW_GRANTS;
        bucket.ledger().granted(granted, before, paid, most, time.wallMicros());
        chargeGrants(bucket, kept);
        long now = time.micros();
        // Before its first report nobody knows what a bucket spends: it gets no more than the limit refills.
        long lasts = bucket.demand().isKnown() ? 0 : terms.refillMicros(granted);
        bucket.assigned(QuotaBucket.Assignment.GRANT, granted, now, now + Math.max(QuotaBucket.PERIOD_MICROS, lasts));
        bucket.stream().assignments().grant(bucket.group().id(), granted);
        unsent.add(bucket.stream());
    }

    private void exhausted(QuotaBucket bucket, QuotaGroup.Terms terms, long now) {
        // A grant that is spent denies by itself; only an assignment that would expire, or lets all pass, is replaced.
        boolean allows = bucket.assignment() == QuotaBucket.Assignment.ALLOW_ALL;
        if (allows || bucket.assignment() == QuotaBucket.Assignment.NONE || bucket.isOld(now)) {
            blanket(bucket, QuotaBucket.Assignment.EXHAUSTED, now);
        }
        bucket.exhausted(Math.max(terms.retryMicros(), now + QuotaBucket.PERIOD_MICROS / 2));
    }

    private void blanket(QuotaBucket bucket, QuotaBucket.Assignment assignment, long now) {
        QuotaStream stream = bucket.stream();
        if (assignment == QuotaBucket.Assignment.ALLOW_ALL) {
            stream.assignments().allowAll(bucket.group().id());
        } else {
            stream.assignments().denyAll(bucket.group().id());
        }
        bucket.ledger().replaced();
        bucket.assigned(assignment, 0, now, now + QuotaBucket.PERIOD_MICROS);
        unsent.add(stream);
    }

    /** Ends asking for {@code group}, which asks again if it needs to. */
    private void asked(QuotaGroup group) {
        if (group.end() && !group.waitsForTick() && needs(group, time.micros())) {
            ask(group);
        }
    }

    /**
     * Finds the hits that each Envoy of this server holds of the limits that {@code request}, which has one descriptor,
     * would meet: those of buckets whose attributes the request has, at most {@code most}, the largest first.
     */
    public CompletionStage<List<QuotaHolding>> holdings(Request request, int most) {
        return asked(() -> groups.values().stream()
                .filter(each -> each.id().isMetBy(request))
                .flatMap(each -> each.members().stream())
                .map(QuotaBucket::holding)
                .sorted(Comparator.comparingLong(QuotaHolding::held).reversed())
                .limit(most)
                .toList());
    }

    /** The Envoys that have a stream to this server, {@code most} of them at most, those with the most hits first. */
    public CompletionStage<List<QuotaPeer>> peers(int most) {
        return asked(() -> streams.values().stream()
                .map(QuotaStream::peerView)
                .sorted(Comparator.comparingLong(QuotaPeer::held).reversed())
                .limit(most)
                .toList());
    }

    /** Answers from the state of the worker; empty if that does not come to it within a second. */
    private <T> CompletionStage<List<T>> asked(Supplier<List<T>> question) {
        CompletableFuture<List<T>> answer = new CompletableFuture<>();
        onWorker(() -> answer.complete(question.get()));
        return answer.completeOnTimeout(List.of(), 1, TimeUnit.SECONDS);
    }

    /** The number of buckets on all streams. */
    int buckets() {
        return buckets.get();
    }

    /** Adds its gauges and counters. */
    public void addTo(ServerMetrics metrics) {
        metrics.gauge("ratelimit.quota.streams", "Open streams of Envoy's quota service.", () -> openStreams)
                .gauge("ratelimit.quota.buckets", "Buckets that Envoys have on these streams.", buckets::get)
                .counter("ratelimit.quota.reports", "Reports of Envoys.", reports::sum)
                .counter("ratelimit.quota.granted.hits", "Hits that were granted to Envoys.", grantedHits::sum)
                .counter(
                        "ratelimit.quota.returned.hits",
                        "Granted hits that Envoys did not spend, and that went back.",
                        returnedHits::sum)
                .counter(
                        "ratelimit.quota.refused.buckets",
                        "Reports of buckets beyond the most that this server keeps.",
                        refusedBuckets::sum);
    }

    /** Ends the worker; grants that are open count as spent. */
    @Override
    public void close() {
        if (own != null) {
            own.shutdown();
        }
    }
}
