package dev.weir.remote.internal;

import dev.weir.Algorithm;
import dev.weir.Decision;
import dev.weir.Hold;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.StoreFailure;
import dev.weir.TimeSource;
import dev.weir.Verdict.Reason;
import dev.weir.Weir;
import dev.weir.WeirObserver;
import dev.weir.internal.library.EventLoops;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.PlainDuration;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleSelection;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.ruleset.ServedRules;
import dev.weir.internal.ruleset.UnknownRules;
import dev.weir.internal.runtime.DaemonThreads;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A {@link Weir} that asks a server for every decision, and lets {@code on_fail} decide if it does not answer in time. */
public final class RemoteLimiter implements Weir {
    private static final System.Logger LOG = System.getLogger("dev.weir.remote");
    /** The most requests in flight, those included whose deadline has passed: what a slow server may make this process hold. */
    private static final int MOST_IN_FLIGHT = 20_000;

    private static final int WARM_UP_CALLS = 300;
    private static final long SWEEP_MILLIS = 100;
    private static final long LONGEST_CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SHORT_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final Duration SHORTEST_TTL = Duration.ofMillis(1);
    private static final Duration LONGEST_TTL = Duration.ofMinutes(10);
    /** The rule that {@code on_fail} decides by, as people read it. */
    private static final String LABEL = "weir server";

    private final RemoteOptions options;
    private final long deadlineNanos;
    private final TimeSource time = TimeSource.system();
    private final WeirObserver observer;
    private final @Nullable Weir fallback;
    private final ResponseMessage answers = new ResponseMessage();
    private final RuleCatalog catalog;
    private final RequestLeases leases = new RequestLeases(new Ahead(), time);
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("weir-remote-probe"));
    private final ServerBreaker[] servers;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean toldMalformed = new AtomicBoolean();

    /** Ends a correction that the server did not answer. */
    private static final class UnansweredException extends Exception {
        UnansweredException() {
            super("the server did not answer", null, false, false);
        }
    }

    /** The servers, as the leases ask them. */
    private final class Ahead implements RequestLease.Grantor {
        @Override
        public boolean serves() {
            return RemoteLimiter.this.serves();
        }

        @Override
        public CompletableFuture<ResponseMessage.ServerAnswer> askAhead(
                Request request, Consumer<MutableDecision> late) {
            CompletableFuture<MutableDecision> asked = ask(request, false, late);
            return asked.thenApply(decision -> new ResponseMessage.ServerAnswer(
                    decision, asked instanceof PendingDecision pending ? pending.leaseMicros() : 0));
        }

        @Override
        public void giveBack(Request request) {
            RemoteLimiter.this.giveBack(request);
        }
    }

    private RemoteLimiter(RemoteOptions options, @Nullable Weir fallback) {
        this.options = options;
        this.fallback = fallback;
        deadlineNanos = options.deadline.toNanos();
        observer = options.observer;
        catalog = new RuleCatalog();
        int hosts = options.address.hosts().size();
        servers = new ServerBreaker[hosts * options.connections];
        timer.setRemoveOnCancelPolicy(true);
        for (int i = 0; i < servers.length; i++) {
            InetSocketAddress host = options.address.hosts().get(i % hosts);
            servers[i] = new ServerBreaker(
                    host.getHostString() + ":" + host.getPort(),
                    new GrpcChannel(host, options),
                    timer,
                    options.deadline);
        }
    }

    /**
     * Connects, and waits for the connections for the warm-up at most.
     *
     * @throws IllegalArgumentException if a certificate or a key cannot be read, or the fallback rules are wrong
     */
    public static Weir open(RemoteOptions options) {
        Weir fallback = options.fallback == null ? null : Weir.open(options.fallback);
        RemoteLimiter opened = null;
        try {
            opened = new RemoteLimiter(options, fallback);
            opened.warmUp(System.nanoTime() + options.warmUp.toNanos());
            return opened;
        } catch (RuntimeException | Error e) {
            if (opened != null) {
                opened.close();
            } else if (fallback != null) {
                fallback.close();
            }
            throw e;
        }
    }

    @Override
    public Decision decide(Request request) {
        refuseOnLoops("decide", "decideAsync");
        CompletableFuture<MutableDecision> asked = ask(request, true);
        return asked instanceof PendingDecision pending ? pending.await() : asked.join();
    }

    @Override
    @SuppressWarnings("unchecked") // whoever completes it completes it with a decision
    public CompletionStage<Decision> decideAsync(Request request) {
        CompletableFuture<? extends Decision> asked = ask(request, true);
        return (CompletionStage<Decision>) asked;
    }

    /**
     * Asks a server. If it does not answer, {@code on_fail} decides {@code forCaller}; a correction of an earlier charge
     * fails instead.
     */
    private CompletableFuture<MutableDecision> ask(Request given, boolean forCaller) {
        return ask(given, forCaller, late -> late.permit().close());
    }

    private CompletableFuture<MutableDecision> ask(Request given, boolean forCaller, Consumer<MutableDecision> late) {
        requireOpen();
        Request request = Request.to(given.domain()).set(given);
        List<RuleSelection> selections = List.of();
        BiPredicate<String, Integer> only = request.onlyRules();
        if (only != null) {
            ServedRules rules = catalog.rules();
            if (rules == null) { // the server cannot be told which rules to ask
                CompletableFuture<MutableDecision> decided = new CompletableFuture<>();
                unanswered(decided, request, StoreFailure.UNAVAILABLE, forCaller);
                return decided;
            }
            selections = RuleSelection.of(only, request.descriptors(), rules.ruleNames(request.domain()));
            if (selections == null) {
                return nothingAsked(request, forCaller);
            }
        }
        byte[] message = RequestMessage.of(request, selections);
        if (forCaller) {
            long now = time.nanos();
            LeasedHits paid = leases.spend(message, now);
            if (paid != null) {
                CompletableFuture<MutableDecision> decided = new CompletableFuture<>();
                decided(decided, request, paid.decision(now));
                return decided;
            }
        }
        ServerBreaker server = server();
        if (server == null && !forCaller) {
            // Nobody waits for it. A server that is only late gets its permits back, which last for long otherwise.
            server = servers[(next.get() & Integer.MAX_VALUE) % servers.length];
        }
        boolean full = inFlight.get() >= MOST_IN_FLIGHT;
        if (server == null || full) {
            CompletableFuture<MutableDecision> decided = new CompletableFuture<>();
            unanswered(decided, request, server == null ? StoreFailure.OPEN : StoreFailure.OVERLOADED, forCaller);
            return decided;
        }
        inFlight.incrementAndGet();
        PendingDecision pending =
                new PendingDecision(this, server, request, message, forCaller, late, System.nanoTime() + deadlineNanos);
        deadlines.add(pending);
        server.send(pending);
        return pending;
    }

    /** The decision on a request that asks none of the rules. */
    private CompletableFuture<MutableDecision> nothingAsked(Request request, boolean forCaller) {
        MutableDecision decision = new MutableDecision();
        decision.begin(time.wallMicros());
        decision.end(true);
        CompletableFuture<MutableDecision> decided = new CompletableFuture<>();
        if (forCaller) {
            decided(decided, request, decision);
        } else {
            decided.complete(decision);
        }
        return decided;
    }

    /** The next server that is not known to fail; null if all are. */
    private @Nullable ServerBreaker server() {
        if (servers.length == 1) {
            return servers[0].isOpen() ? null : servers[0];
        }
        int first = next.getAndIncrement() & Integer.MAX_VALUE;
        for (int i = 0; i < servers.length; i++) {
            ServerBreaker each = servers[(first + i) % servers.length];
            if (!each.isOpen()) {
                return each;
            }
        }
        return null;
    }

    /** A call has ended, with an answer or without. */
    void ended() {
        inFlight.decrementAndGet();
    }

    /** Reads the server's answer to {@code request}. */
    ResponseMessage.ServerAnswer read(Request request, byte[] message) throws ResponseMessage.MalformedAnswerException {
        ResponseMessage.ServerAnswer answer = answers.read(request.domain(), message);
        MutableDecision decision = answer.decision();
        TakenPermits permits = decision.permits();
        if (permits != null && permits.taken() > 0) {
            decision.permit(new ReturnedPermit(this, giveBack(request, decision, permits.taken())));
        }
        return answer;
    }

    /** The request that gives back {@code taken} permits of each concurrency limit that {@code request} met. */
    private static Request giveBack(Request request, MutableDecision decision, long taken) {
        Request back = Request.to(request.domain()).hits(-taken);
        if (request.isAttributes()) {
            back.asAttributes();
        }
        boolean[] added = new boolean[request.descriptors()];
        List<Integer> origins = new ArrayList<>();
        for (int i = 0; i < decision.size(); i++) {
            Limit limit = decision.verdict(i).limit();
            int descriptor = decision.verdict(i).descriptor();
            if (limit != null && limit.algorithm() == Algorithm.CONCURRENCY && !added[descriptor]) {
                added[descriptor] = true;
                origins.add(descriptor);
                back.descriptor();
                for (int entry = request.start(descriptor); entry < request.end(descriptor); entry++) {
                    back.with(request.key(entry), request.value(entry));
                }
            }
        }
        BiPredicate<String, Integer> only = request.onlyRules();
        if (only != null) {
            back.onlyRules((rule, descriptor) -> only.test(rule, origins.get(descriptor)));
        }
        return back;
    }

    /** Gives permits back, without waiting and without retrying: their {@code permit_ttl} ends them otherwise. */
    void giveBack(Request request) {
        if (!closed.get() && request.descriptors() > 0) {
            var unused = ask(request, false);
        }
    }

    /** Corrects the charge of a hold; completes with whether the server did so. */
    CompletionStage<Boolean> correct(Request correction) {
        if (closed.get()) {
            return CompletableFuture.completedFuture(false);
        }
        return ask(correction, false).handle((decision, failure) -> failure == null);
    }

    void malformed(ResponseMessage.MalformedAnswerException problem) {
        if (toldMalformed.compareAndSet(false, true)) {
            LOG.log(Level.ERROR, options.address + " sent " + problem.getMessage() + "; on_fail decides");
        }
    }

    /** Passes the server's answer on. */
    void answered(PendingDecision pending, Request request, ResponseMessage.ServerAnswer answer) {
        leases.heard(request, pending.message(), answer.decision(), answer.leaseMicros());
        decided(pending, request, answer.decision());
    }

    /** Passes a decision on. */
    void decided(CompletableFuture<MutableDecision> into, Request request, MutableDecision decision) {
        try {
            observer.decided(request, decision);
        } catch (RuntimeException | Error e) {
            decision.permit().close();
            into.completeExceptionally(e);
            return;
        }
        if (!into.complete(decision)) {
            decision.permit().close();
        }
    }

    /** Decides {@code request} by {@code on_fail}; fails {@code into} if it is not for a caller. */
    void unanswered(CompletableFuture<MutableDecision> into, Request request, StoreFailure failure, boolean forCaller) {
        try {
            observer.storeFailed(failure);
            if (!forCaller) {
                into.completeExceptionally(new UnansweredException());
                return;
            }
            if (fallback != null) {
                var unused = fallback.decideAsync(request).whenComplete((decision, thrown) -> {
                    if (thrown != null) {
                        into.completeExceptionally(thrown);
                    } else {
                        decided(into, request, degraded(request, (MutableDecision) decision));
                    }
                });
                return;
            }
            MutableDecision decision = new MutableDecision();
            decision.begin(time.wallMicros());
            boolean allowed = options.onFail == OnFail.ALLOW;
            verdict(request, decision.add(), allowed);
            decision.end(allowed);
            decided(into, request, decision);
        } catch (RuntimeException | Error e) {
            into.completeExceptionally(e);
        }
    }

    private static MutableDecision degraded(Request request, MutableDecision decision) {
        for (int i = 0; i < decision.size(); i++) {
            decision.verdict(i).degraded(true);
        }
        if (decision.size() == 0) {
            verdict(request, decision.add(), true);
            decision.end(true);
        }
        return decision;
    }

    private static void verdict(Request request, MutableVerdict verdict, boolean allowed) {
        Rule rule = Rule.builder(request.domain(), LABEL).label(LABEL).build();
        long hits = request.descriptors() == 0 ? 0 : request.hitsOf(0);
        verdict.set(rule, null, 0, hits, allowed ? Reason.UNLIMITED : Reason.STORE_DOWN, 0, 0, 0, 0)
                .degraded(true);
    }

    @Override
    public Hold reserve(Request request, Duration ttl) {
        refuseOnLoops("reserve", "reserveAsync");
        return reserveAsync(request, ttl).toCompletableFuture().join();
    }

    @Override
    public CompletionStage<Hold> reserveAsync(Request given, Duration ttl) {
        if (ttl.compareTo(SHORTEST_TTL) < 0 || ttl.compareTo(LONGEST_TTL) > 0) {
            throw new IllegalArgumentException("ttl: " + PlainDuration.exact(ttl) + " (expected: "
                    + PlainDuration.exact(SHORTEST_TTL) + " to " + PlainDuration.exact(LONGEST_TTL) + ")");
        }
        if (given.givesBack()) {
            throw new IllegalArgumentException("hits: negative (expected: an estimate >= 0)");
        }
        for (int i = 0; i < given.descriptors(); i++) {
            if (given.override(i) != null) {
                throw new IllegalArgumentException("override: not for reserve (expected: a limit of a rule)");
            }
        }
        Request request = Request.to(given.domain()).set(given).withoutPermits();
        CompletableFuture<Hold> reserved = new CompletableFuture<>();
        var unused = ask(request, true).whenComplete((decision, failure) -> {
            if (failure != null) {
                reserved.completeExceptionally(failure);
                return;
            }
            Hold hold = new CorrectedHold(this, decision, request, ttl.toNanos());
            if (!reserved.complete(hold)) {
                hold.close();
            }
        });
        return reserved;
    }

    /** The outlines of the server's rules; until it has told them, the fallback rules or {@link UnknownRules}. */
    @Override
    public RuleSet rules() {
        ServedRules served = catalog.rules();
        if (served != null) {
            return served;
        }
        return fallback == null ? UnknownRules.INSTANCE : fallback.rules();
    }

    @Override
    public boolean serves() {
        if (closed.get()) {
            return false;
        }
        for (ServerBreaker each : servers) {
            if (each.serves()) {
                return true;
            }
        }
        return false;
    }

    /** Gives leased hits back, for which it waits a little, and ends. */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            timer.shutdownNow();
            if (leases.close()) {
                awaitAnswers();
            }
            closed.set(true);
            for (ServerBreaker each : servers) {
                if (each != null) {
                    each.channel().close();
                }
            }
            deadlines.close();
            if (fallback != null) {
                fallback.close();
            }
        }
    }

    /** Waits until the servers have answered what is in flight, for the deadline at most. */
    private void awaitAnswers() {
        long end = System.nanoTime() + Math.min(deadlineNanos, LONGEST_CLOSE_NANOS);
        boolean canWait = !(Thread.currentThread() instanceof GrpcChannel.LoopThread);
        while (canWait && inFlight.get() > 0 && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(SHORT_NANOS);
        }
    }

    /** Connects, and calls each server until the JVM has compiled most of a call: first answers take long otherwise. */
    private void warmUp(long endNanos) {
        for (ServerBreaker each : servers) {
            for (int i = 0; i < WARM_UP_CALLS && System.nanoTime() - endNanos < 0; i++) {
                if (!isHealthy(each.channel(), endNanos)) {
                    break;
                }
                each.succeeded();
                if (catalog.rules() == null) {
                    // The observer is told here, by the thread that opens: an application that starts may hold a lock
                    // meanwhile that the observer needs.
                    catalog.ask(each, Math.max(1, endNanos - System.nanoTime()))
                            .join()
                            .ifPresent(observer::rulesChanged);
                }
            }
        }
        var unused = timer.scheduleWithFixedDelay(this::refreshRules, 1, 1, TimeUnit.SECONDS);
        var unusedToo = timer.scheduleWithFixedDelay(leases::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void refreshRules() {
        ServerBreaker server = server();
        if (server != null) {
            catalog.refresh(server, observer::rulesChanged);
        }
    }

    private static boolean isHealthy(GrpcChannel channel, long endNanos) {
        long nanos = Math.max(1, endNanos - System.nanoTime());
        CompletableFuture<Boolean> healthy = new CompletableFuture<>();
        channel.health(nanos, new GrpcChannel.Answer() {
            @Override
            public void answered(byte[] message) {
                healthy.complete(true);
            }

            @Override
            public void failed(StoreFailure failure, @Nullable String refused) {
                healthy.complete(false);
            }
        });
        return healthy.completeOnTimeout(false, nanos, TimeUnit.NANOSECONDS).join();
    }

    private void requireOpen() {
        if (closed.get()) {
            throw new IllegalStateException("closed (expected: no decision after close())");
        }
    }

    private static void refuseOnLoops(String call, String instead) {
        EventLoops.refuse(call, instead);
        if (Thread.currentThread() instanceof GrpcChannel.LoopThread) {
            throw new IllegalStateException(
                    call + " would block the connection to the server (expected: " + instead + ")");
        }
    }

    /** The address, for logs. */
    @Override
    public String toString() {
        return options.address.toString();
    }
}
