package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonFactory;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.http.internal.RateLimitFields;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.store.RequestTooCostlyException;
import dev.weir.server.health.Health;
import dev.weir.server.http.BodyBudget;
import dev.weir.server.http.DirectHandler;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpPort;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.HttpProblems;
import dev.weir.server.http.HttpRoutes;
import dev.weir.server.http.RequestBody;
import dev.weir.server.rls.RlsAnswer;
import dev.weir.server.rls.RlsMetadata;
import dev.weir.server.rls.RlsSettings;
import dev.weir.server.tracing.TracedDecisions;
import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The data plane over HTTP. Every request is decided on its event loop, or returns to it when a store has answered. One
 * object serves all requests.
 */
public final class RestApi {
    private static final String CHECK = "/v1/ratelimit/check";
    private static final WaiterSupplier LATER = () -> {
        throw new IllegalStateException("nothing may decide later");
    };

    private final Limiter limiter;
    private final RequestQueues queues;
    private final TimeSource time;
    private final Health health;
    private final RestSettings settings;
    private final BodyBudget bodies;
    private final RlsSettings rls;
    private final Consumer<HttpServerRequest> requireGiveBack;
    private final TracedDecisions traces;
    private final CheckReader checks;
    private final RlsJsonReader rlsReader;
    private final CheckAnswers answers;
    private final RememberedAnswers remembered;
    private final IdempotencyHashes hashes;
    private final ConcurrencyApi concurrency;
    private final LongAdder unenforced = new LongAdder();
    private final HoldApi holds;
    private final ForwardReader forwards;
    private final ThreadLocal<Buffers> buffers;

    /** The reused buffers of a thread. */
    private static final class Buffers {
        final Request request = Request.to("");
        final MutableDecision decision = new MutableDecision();
        final RlsAnswer answer;
        /** The last query of the forward path: a gateway sends the same one all the time. */
        @Nullable
        ForwardQuery query;

        Buffers(RlsSettings rls) {
            answer = new RlsAnswer(rls);
        }
    }

    /** Creates the API; every caller may give hits back. */
    public RestApi(
            Limiter limiter,
            RequestQueues queues,
            TimeSource time,
            Health health,
            RestSettings settings,
            RlsSettings rls) {
        this(
                limiter,
                queues,
                time,
                health,
                settings,
                rls,
                request -> {},
                new PermitSecret(null, null),
                (trace, decision) -> {});
    }

    /**
     * Creates the API. {@code requireGiveBack} throws the problem for a caller that may not give hits back; {@code secret}
     * signs permits and holds; {@code traces} observes requests that belong to a trace.
     */
    public RestApi(
            Limiter limiter,
            RequestQueues queues,
            TimeSource time,
            Health health,
            RestSettings settings,
            RlsSettings rls,
            Consumer<HttpServerRequest> requireGiveBack,
            PermitSecret secret,
            TracedDecisions traces) {
        this.traces = traces;
        this.requireGiveBack = requireGiveBack;
        this.limiter = limiter;
        this.queues = queues;
        this.time = time;
        this.health = health;
        this.settings = settings;
        this.bodies = new BodyBudget(settings.caps().bytes());
        this.rls = rls;
        JsonFactory factory = JsonInput.factory(settings.caps());
        this.checks = new CheckReader(factory, settings.caps(), rls.calendarMonths());
        this.rlsReader = new RlsJsonReader(factory, settings.caps(), rls.calendarMonths());
        this.answers = new CheckAnswers(settings);
        this.remembered = new RememberedAnswers(settings.idempotency());
        this.hashes = new IdempotencyHashes(settings.idempotency());
        this.concurrency = new ConcurrencyApi(limiter, queues, time, secret, answers, factory, settings.caps());
        this.holds = new HoldApi(limiter, time, secret, answers, checks);
        this.forwards = new ForwardReader(settings.forward(), settings.caps(), settings.proxies());
        this.buffers = ThreadLocal.withInitial(() -> new Buffers(rls));
    }

    /** Creates a router with these routes, to which others may be added. */
    public Router routes(Vertx vertx) {
        Router router = Router.router(vertx);
        post(router, CHECK, (exchange, body) -> check(exchange, body, false));
        post(router, "/ratelimit/check", (exchange, body) -> check(exchange, body, true));
        post(router, "/v1/concurrency/acquire", this::acquire);
        post(router, "/v1/concurrency/release", concurrency::release);
        post(router, "/v1/concurrency/renew", concurrency::renew);
        post(router, "/v1/ratelimit/reserve", this::reserve);
        post(router, "/v1/ratelimit/settle", holds::settle);
        router.route("/v1/ratelimit/forward").handler(context -> {
            RequestBody.discard(context.request(), bodies);
            begin(context, this::forward);
        });
        post(router, "/json", this::json);
        get(router, "/v1/ratelimit/status/:user_id", this::status);
        get(router, "/healthcheck", exchange -> exchange.answer(healthcheck()));
        return HttpRoutes.finish(
                router,
                "expected: /v1/ratelimit/check, /ratelimit/check, /v1/ratelimit/status/{user_id},"
                        + " /v1/ratelimit/forward, /v1/ratelimit/reserve, /v1/ratelimit/settle, /v1/concurrency/acquire,"
                        + " /v1/concurrency/release, /v1/concurrency/renew, /v1/load/{service}, /json,"
                        + " /healthcheck or /metrics",
                failure -> failure instanceof RequestTooCostlyException e
                        ? HttpProblems.of(HttpProblemException.badRequest(e.text()))
                        : null);
    }

    /** The options of the server that carries these routes: HTTP/2 also in clear text. */
    public static HttpServerOptions serverOptions() {
        return HttpPort.options().setHttp2ClearTextEnabled(true);
    }

    private void check(RestExchange exchange, byte[] body, boolean alwaysOk) {
        Buffers own = buffers.get();
        Request request = own.request;
        HttpServerRequest http = exchange.request();
        String key = IdempotencyKey.in(http.headers(), settings.idempotency().header());
        checks.read(body, this::domains, () -> callerAddress(http), request);
        request.nameCounter().withoutPermits();
        RuleIndex rules = limiter.index();
        long now = time.micros();
        if (key == null) {
            exchange.decideInTurn(
                    queues,
                    request,
                    now,
                    own.decision,
                    null,
                    (asked, decision) -> exchange.answer(answer(asked, decision, rules, alwaysOk)));
            return;
        }
        Idempotency once = hashes.of(IdempotencyScope.of(request, rules), key, http.path(), body);
        remembered.once(
                once,
                key,
                now,
                exchange,
                first -> exchange.decideInTurn(
                        queues,
                        request,
                        now,
                        own.decision,
                        once,
                        (asked, decision) -> first.complete(() -> end(first, asked, decision, rules, alwaysOk))));
    }

    /** Creates the handler of plain checks, which are decided and answered while their bytes are read. */
    public DirectHandler direct() {
        return new DirectCheck();
    }

    /** Answers checks whose decision needs no store and cannot wait; it takes one buffer less than a route would. */
    private final class DirectCheck implements DirectHandler {
        @Override
        public String path() {
            return CHECK;
        }

        @Override
        public int longestBody() {
            return settings.caps().bytes();
        }

        @Override
        public boolean isOpen() {
            return health.serving()
                    && limiter.stores().isEmpty()
                    && !limiter.index().mayWait();
        }

        @Override
        public @Nullable HttpAnswer answer(ChannelHandlerContext connection, byte[] body) {
            Buffers own = buffers.get();
            RuleIndex rules = limiter.index();
            try {
                checks.read(body, RestApi.this::domains, () -> callerAddress(connection), own.request);
                own.request.nameCounter().withoutPermits();
                if (!limiter.decide(own.request, time.micros(), own.decision, LATER)) {
                    throw new IllegalStateException("decided later without a store");
                }
            } catch (HttpProblemException | RequestTooCostlyException e) {
                return null; // the route refuses it with the same problem
            }
            return RestApi.this.answer(own.request, own.decision, rules, false);
        }

        private String callerAddress(ChannelHandlerContext connection) {
            return connection.channel().remoteAddress() instanceof InetSocketAddress peer
                    ? settings.proxies().caller(peer.getAddress().getHostAddress(), List.of())
                    : "";
        }
    }

    private void forward(RestExchange exchange) {
        Buffers own = buffers.get();
        HttpServerRequest http = exchange.request();
        ForwardQuery query = ForwardQuery.of(http, settings.forward(), own.query);
        own.query = query;
        forwards.read(http, query, this::domains, callerAddress(http), own.request);
        own.request.nameCounter().withoutPermits();
        RuleIndex rules = limiter.index();
        exchange.decideInTurn(queues, own.request, time.micros(), own.decision, null, (request, decision) -> {
            if (CheckAnswers.leavesOut(decision)) {
                unenforced.increment();
            }
            exchange.answer(answers.forwarded(request, decision, rules, query));
        });
    }

    private void acquire(RestExchange exchange, byte[] body) {
        HttpServerRequest http = exchange.request();
        if (IdempotencyKey.in(http.headers(), settings.idempotency().header()) != null) {
            throw HttpProblemException.badRequest(
                    "idempotency key: not for acquire (expected: none; each acquire takes a permit of its own, and one"
                            + " whose answer was lost ends with its permit_ttl)");
        }
        Buffers own = buffers.get();
        concurrency.acquire(
                exchange,
                into -> checks.read(body, this::domains, () -> callerAddress(http), into),
                own.request,
                own.decision);
    }

    /** The number of requests that met a concurrency rule on a path that cannot release. */
    public long unenforced() {
        return unenforced.sum();
    }

    private void reserve(RestExchange exchange, byte[] body) {
        HttpServerRequest http = exchange.request();
        if (IdempotencyKey.in(http.headers(), settings.idempotency().header()) != null) {
            throw HttpProblemException.badRequest(
                    "idempotency key: not for reserve (expected: none; each reserve takes a"
                            + " hold of its own, and one whose answer was lost stays charged as reserved)");
        }
        Request request = Request.to("");
        Duration ttl = checks.readReserve(body, this::domains, () -> callerAddress(http), request);
        request.nameCounter();
        holds.reserve(exchange, request, ttl);
    }

    /** The address that the call comes from, or that trusted proxies say it comes from. */
    private String callerAddress(HttpServerRequest http) {
        TrustedProxies proxies = settings.proxies();
        String peer = http.remoteAddress() == null
                ? ""
                : String.valueOf(http.remoteAddress().hostAddress());
        return proxies.caller(peer, http.headers().getAll(proxies.header().text()));
    }

    private void end(
            RememberedAnswers.InFlight first,
            Request asked,
            MutableDecision decision,
            RuleIndex rules,
            boolean alwaysOk) {
        if (decision.conflict()) {
            first.conflict();
        } else if (decision.repeated()) {
            first.repeated(answer(asked, decision, rules, alwaysOk));
        } else {
            first.decided(answer(asked, decision, rules, alwaysOk), decision.allowed());
        }
    }

    /**
     * Answers a check. {@code rules} were in force just before the decision; others may have been when it was made, or
     * may be now.
     */
    private HttpAnswer answer(Request request, MutableDecision decision, RuleIndex rules, boolean alwaysOk) {
        if (CheckAnswers.leavesOut(decision)) {
            unenforced.increment();
        }
        return alwaysOk ? answers.alwaysOk(decision) : answers.of(request, decision, rules);
    }

    private List<String> domains() {
        return limiter.index().domains();
    }

    private void json(RestExchange exchange, byte[] body) {
        Buffers own = buffers.get();
        long hitsAddend = rlsReader.read(body, own.request);
        if (givesBack(own.request)) {
            requireGiveBack.accept(exchange.request());
        }
        exchange.decide(limiter, own.request, time.micros(), own.decision, (request, decision) -> {
            RlsAnswer answer = buffers.get().answer.of(decision, request.descriptors());
            Map<String, Object> metadata = RlsMetadata.of(request, hitsAddend, decision, rls.dynamicMetadata());
            exchange.answer(new HttpAnswer(
                    decision.allowed() ? 200 : 429,
                    HttpAnswer.JSON,
                    RlsJsonWriter.bytes(answer, metadata),
                    RateLimitFields.degraded(decision)));
        });
    }

    private static boolean givesBack(Request request) {
        for (int i = 0; i < request.descriptors(); i++) {
            if (request.hitsOf(i) < 0) {
                return true;
            }
        }
        return false;
    }

    private void status(RestExchange exchange) {
        Buffers own = buffers.get();
        StatusQuery.read(exchange.context(), settings.caps(), this::domains, own.request);
        exchange.decide(
                limiter,
                own.request,
                time.micros(),
                own.decision,
                (request, decision) -> exchange.answer(CheckAnswers.status(decision)));
    }

    /**
     * Answers 200 also while a store or the database is unreachable: then {@code on_fail} decides, and the last known
     * rules stay in force.
     */
    private HttpAnswer healthcheck() {
        String degraded = health.degraded();
        boolean healthy = health.state() == Health.State.SERVING;
        String text;
        if (healthy) {
            text = degraded.isEmpty() ? "OK" : "OK, degraded: " + degraded;
        } else {
            text = health.serving() ? "NOT SERVING: no rules are in force" : "NOT SERVING";
        }
        return new HttpAnswer(healthy ? 200 : 500, HttpAnswer.TEXT, text.getBytes(StandardCharsets.UTF_8), List.of());
    }

    private void post(Router router, String path, BiConsumer<RestExchange, byte[]> handler) {
        router.post(path)
                .handler(context -> RequestBody.read(
                        context.request(),
                        bodies,
                        // The router's failure handling does not cover a body that arrives later.
                        body -> begin(context, exchange -> handler.accept(exchange, body)),
                        context::fail));
        HttpRoutes.only(router, path, "POST");
    }

    private void get(Router router, String path, Consumer<RestExchange> handler) {
        HttpRoutes.page(router, path, context -> begin(context, handler));
    }

    private void begin(RoutingContext context, Consumer<RestExchange> handler) {
        try {
            handler.accept(new RestExchange(context, traces));
        } catch (RuntimeException e) {
            context.fail(e);
        }
    }
}
