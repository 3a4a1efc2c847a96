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
import dev.weir.internal.runtime.HeapShare;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
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
 * requests only passes them on. {@link #MOST_WAITING} bytes of them may wait for the worker.
 */
public final class QuotaService implements GrpcService, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(QuotaService.class.getName());

    /** The period of {@link #tick}. */
    public static final Duration TICK = Duration.ofMillis(100);

    /** The most buckets on one stream. */
    private static final int MOST_OF_STREAM = 50_000;

    /** The most buckets on all streams. */
    private static final int MOST_BUCKETS = 200_000;

    /** The most bytes of all buckets and their grants, as {@link QuotaBucketId#bytes} estimates them. */
    private static final long MOST_BYTES = HeapShare.QUOTA_BUCKETS.ofThisHeap();

    /** The most bytes of reports that wait for the worker. */
    private static final long MOST_WAITING = HeapShare.QUOTA_REPORTS.ofThisHeap();

    /** The grants that a bucket keeps if there is no memory for more. */
    private static final int FEW_GRANTS = 4;

    /** Reports in a row without a request until a bucket is abandoned. */
    private static final int MOST_IDLE = 3;

    /** The least time between two log lines of one kind. */
    private static final long LOG_MICROS = 10_000_000;

    private static final Duration PATIENCE = Duration.ofMillis(500);

    private final Limiter limiter;
    private final TimeSource time;
    private final UsageReportReader reader;
    private final Executor worker;
    private final @Nullable ExecutorService own;
    private final AtomicLong waitingBytes = new AtomicLong();

    /** The calls that have not ended. */
    private final Set<GrpcServiceCall> open = ConcurrentHashMap.newKeySet();

    private final Map<GrpcServiceCall, QuotaStream> streams = new HashMap<>();
    private final Map<QuotaBucketId, QuotaGroup> groups = new HashMap<>();
    private final StoreCalls calls;
    /** Streams with assignments to send. */
    private final Set<QuotaStream> unsent = new LinkedHashSet<>();

    /** The bytes of all buckets, without their grants. */
    private long bytes;
    /** The grants of all buckets whose spending is not known yet. */
    private long grants;

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

    /** Creates a service with a worker thread of its own. */
    public QuotaService(Limiter limiter, TimeSource time, RequestCaps caps) {
        this(limiter, time, caps, Executors.newSingleThreadExecutor(DaemonThreads.named("weir-quotas")), true);
    }

    /** Creates a service on {@code worker}, which runs one task at a time. */
    QuotaService(Limiter limiter, TimeSource time, RequestCaps caps, Executor worker) {
        this(limiter, time, caps, worker, false);
    }

    private QuotaService(Limiter limiter, TimeSource time, RequestCaps caps, Executor worker, boolean owned) {
        this.limiter = limiter;
        this.time = time;
        this.reader = new UsageReportReader(caps);
        this.worker = worker;
        this.own = owned ? (ExecutorService) worker : null;
        this.calls = new StoreCalls(this::onWorker);
    }

    @Override
    public void message(GrpcServiceCall call, GrpcMethod method, byte[] message) throws GrpcCallException {
        if (waitingBytes.addAndGet(message.length) > MOST_WAITING) {
            waitingBytes.addAndGet(-message.length);
            throw new GrpcCallException(
                    GrpcStatus.RESOURCE_EXHAUSTED,
                    "reports that wait: more than " + MOST_WAITING + " bytes (expected: a report every five seconds)");
        }
        if (open.add(call)) {
            call.onGone(() -> {
                open.remove(call);
                onWorker(() -> gone(call));
            });
        }
        onWorker(() -> {
            waitingBytes.addAndGet(-message.length);
            reported(call, message);
        });
    }

    /** Pushes grants to the buckets that have likely spent theirs. */
    public void tick() {
        if (openStreams > 0 && ticking.compareAndSet(false, true)) {
            onWorker(() -> {
                ticking.set(false);
                long now = time.micros();
                for (QuotaGroup group : groups.values()) {
                    if (needs(group, now)) {
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
                } catch (RuntimeException e) {
                    LOG.log(Level.ERROR, "quota service: a task failed; its buckets are assigned later", e);
                }
                unsent.forEach(QuotaStream::flush);
                unsent.clear();
            });
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "quota service: closed", e);
        }
    }

    private void reported(GrpcServiceCall call, byte[] message) {
        if (!open.contains(call)) {
            return; // the stream ended meanwhile
        }
        QuotaStream stream = streams.computeIfAbsent(call, key -> new QuotaStream(key, time.wallMicros()));
        openStreams = streams.size();
        UsageReport report;
        try {
            report = reader.read(message, stream.domain());
        } catch (GrpcCallException e) {
            stream.end(e.status(), e.text());
            gone(call);
            open.remove(call);
            return;
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
    }

    private void first(QuotaStream stream, UsageReport.Usage usage) {
        if (usage.asked() == 0 && isNearlyFull(stream)) {
            // Envoy never drops a bucket by itself: its reports would only grow.
            stream.assignments().abandon(usage.bucket());
            unsent.add(stream);
            return;
        }
        if (stream.buckets().size() >= MOST_OF_STREAM
                || buckets.get() >= MOST_BUCKETS
                || bytesInUse() + usage.bucket().bytes() > MOST_BYTES) {
            refusedBuckets.increment();
            if (!saidFull) {
                saidFull = true;
                LOG.log(
                        Level.WARNING,
                        "too many quota buckets (expected: at most " + MOST_OF_STREAM + " on a stream, " + MOST_BUCKETS
                                + " in all, and " + MOST_BYTES
                                + " bytes): Envoy follows no_assignment_behavior for further ones");
            }
            return;
        }
        QuotaGroup group = groups.computeIfAbsent(usage.bucket(), QuotaGroup::new);
        QuotaBucket bucket = new QuotaBucket(stream, group, usage.allowed(), time.micros());
        stream.buckets().put(group.id(), bucket);
        group.members().add(bucket);
        buckets.incrementAndGet();
        bytes += group.id().bytes();
        ask(group);
    }

    private void again(QuotaStream stream, QuotaBucket bucket, UsageReport.Usage usage, RuleIndex rules) {
        long now = time.micros();
        bucket.demand().report(usage.asked(), now);
        int before = bucket.ledger().size();
        for (GrantLedger.Settled each : bucket.ledger().reported(usage.allowed(), now, time.wallMicros())) {
            settle(bucket.group(), each);
        }
        grants += bucket.ledger().size() - before;
        int idle = bucket.reported(usage.asked() == 0, now);
        if (idle >= MOST_IDLE || (idle > 0 && isNearlyFull(stream))) {
            stream.assignments().abandon(bucket.group().id());
            unsent.add(stream);
            stream.buckets().remove(bucket.group().id());
            forget(bucket);
            return;
        }
        BanKind ban =
                limiter.hasBans() ? limiter.enforcedBan(bucket.group().id().request(1)) : null;
        bucket.compare(new QuotaBucket.InForce(rules, ban));
        if (bucket.needsAfterReport(now)) {
            ask(bucket.group());
        }
        if (bucket.assignment() == QuotaBucket.Assignment.ALLOW_ALL
                && usage.allowed() > 0
                && bucket.passed(usage.allowed())
                && !calls.add(StoreCalls.Kind.AFTERWARDS, () -> count(bucket))) {
            bucket.takePassed();
        }
    }

    private long bytesInUse() {
        return bytes + grants * GrantLedger.GRANT_BYTES;
    }

    /** Whether buckets without requests must make room for others at once. */
    private boolean isNearlyFull(QuotaStream stream) {
        return stream.buckets().size() > MOST_OF_STREAM / 4 * 3
                || buckets.get() > MOST_BUCKETS / 4 * 3
                || bytesInUse() > MOST_BYTES / 4 * 3;
    }

    /** Counts what Envoy let through unlimited, for rules in shadow mode; without any rule this touches no counter. */
    private CompletionStage<?> count(QuotaBucket bucket) {
        return limiter.decideAsync(bucket.group().id().request(bucket.takePassed()));
    }

    private void settle(QuotaGroup group, GrantLedger.Settled settled) {
        returnedHits.add(settled.returned());
        Request spent = Request.to("").hits(Rule.REQUESTS, settled.spent());
        calls.add(
                StoreCalls.Kind.AFTERWARDS,
                () -> limiter.holds().settleOwned(settled.paid().hold(group.id().request(1)), spent));
    }

    private void gone(GrpcServiceCall call) {
        QuotaStream stream = streams.remove(call);
        openStreams = streams.size();
        if (stream != null) {
            stream.buckets().values().forEach(this::forget);
            unsent.remove(stream);
        }
    }

    private void forget(QuotaBucket bucket) {
        bucket.gone();
        QuotaGroup group = bucket.group();
        group.members().remove(bucket);
        buckets.decrementAndGet();
        bytes -= group.id().bytes();
        grants -= bucket.ledger().size();
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

    /** Asks the limiter on which terms the group may spend, now or when others have asked. */
    private void ask(QuotaGroup group) {
        if (group.begin()) {
            boolean first = group.members().stream().anyMatch(each -> each.assignment() == QuotaBucket.Assignment.NONE);
            calls.add(first ? StoreCalls.Kind.FIRST_TERMS : StoreCalls.Kind.TERMS, () -> probe(group));
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
            if (failure != null) {
                failed(failure);
                asked(group);
            } else {
                assign(group, QuotaGroup.terms(decision.decision(), inForce.ban(), time.micros()), inForce);
            }
        }));
    }

    /** Logs a failure, unless one was logged in the last seconds: many buckets may fail for one cause. */
    private void failed(Throwable failure) {
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
                calls.add(StoreCalls.Kind.GRANT, () -> reserve(bucket, share, terms, done));
            }
        }
        done.run();
    }

    private CompletionStage<?> reserve(QuotaBucket bucket, long hits, QuotaGroup.Terms terms, Runnable done) {
        CompletionStage<Holds.Reserved> reserved;
        try {
            reserved = limiter.holds().reserveOwned(bucket.group().id().request(hits));
        } catch (RuntimeException e) {
            reserved = CompletableFuture.failedStage(e);
        }
        return reserved.whenComplete((result, failure) -> onWorker(() -> {
            if (failure != null) {
                failed(failure);
            } else if (result.decision().allowed()) {
                grant(bucket, hits, terms, result.hold());
            }
            done.run();
        }));
    }

    private void grant(QuotaBucket bucket, long hits, QuotaGroup.Terms terms, @Nullable HeldRequest hold) {
        if (bucket.isGone()) {
            if (hold != null) { // Envoy never heard of it
                settle(bucket.group(), new GrantLedger.Settled(GrantLedger.Payment.of(hold), hits, 0));
            }
            return;
        }
        long before = bucket.pay(hits);
        long granted = hits - before;
        grantedHits.add(granted);
        int kept = bucket.ledger().size();
        GrantLedger.Payment paid = hold == null ? null : GrantLedger.Payment.of(hold);
        int most = bytesInUse() > MOST_BYTES ? FEW_GRANTS : GrantLedger.MOST;
        bucket.ledger().granted(granted, before, paid, most, time.wallMicros());
        grants += bucket.ledger().size() - kept;
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
        if (group.end() && needs(group, time.micros())) {
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
