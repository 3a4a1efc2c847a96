package dev.weir.http;

import dev.weir.Cause;
import dev.weir.Decision;
import dev.weir.LoadShedder;
import dev.weir.LoadShedder.Admission;
import dev.weir.LoadShedder.Priority;
import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.http.internal.DecisionAnswer;
import dev.weir.http.internal.ShedProblem;
import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.internal.ruleset.UnknownRules;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Limits HTTP calls by the rules of a {@link Weir}: turns a call into a request, and the decision into status, headers and
 * a problem document. Adapters for servlets and other frameworks are thin: they show their call as an {@link HttpCall}.
 *
 * <p>A request has these attributes, as far as the call has them; {@link Builder#attribute} adds others or replaces them:
 *
 * <table>
 * <caption>Attributes</caption>
 * <tr><td>{@code endpoint}</td><td>method and path, such as {@code POST /orders}</td></tr>
 * <tr><td>{@code route}</td><td>the pattern that the framework routed the call by</td></tr>
 * <tr><td>{@code ip}</td><td>the caller's address, behind {@linkplain Builder#trustedProxies trusted proxies} too</td></tr>
 * <tr><td>{@code user_id}</td><td>the authenticated user</td></tr>
 * <tr><td>{@code api_key}</td><td>the header {@code X-API-Key}</td></tr>
 * <tr><td>{@code priority}</td><td>the header {@code X-Weir-Priority}, by which a caller lowers its priority</td></tr>
 * </table>
 *
 * <p>Thread-safe. One limiter serves a whole application; it does not close its {@code Weir}.
 */
public final class HttpLimiter {
    private static final System.Logger LOG = System.getLogger("dev.weir.http");

    private static final String PRIORITY = "X-Weir-Priority";
    /** The entry of a request that is subject only to rules of one unit. */
    private static final String UNIT = "weir.unit";

    /** The priorities that a caller may lower its request to. */
    private static final List<Priority> LOWER = List.of(Priority.TEST, Priority.READ);

    private final Weir weir;
    private final String domain;
    private final String[] names;
    private final Attribute[] attributes;
    private final @Nullable LoadShedder shedder;
    private final Function<HttpCall, @Nullable Priority> priority;
    private final @Nullable String afterDomain;
    private final @Nullable AfterCost afterCost;
    private final @Nullable String afterUnit;
    private final boolean showHeaders;
    private final @Nullable BiPredicate<String, Integer> rules;

    private HttpLimiter(Builder builder, String domain) {
        this.domain = domain;
        weir = builder.weir;
        names = builder.attributes.keySet().toArray(new String[0]);
        attributes = builder.attributes.values().toArray(new Attribute[0]);
        shedder = builder.shedder;
        priority = builder.priority;
        afterDomain = builder.afterDomain == null ? null : builder.known(builder.afterDomain);
        afterCost = builder.afterCost;
        afterUnit = builder.afterUnit;
        showHeaders = builder.showHeaders;
        rules = builder.rules;
    }

    /** Reads an attribute of a call; null if the call does not have it. */
    @FunctionalInterface
    public interface Attribute {
        @Nullable
        String of(HttpCall call);
    }

    /** Says what a call cost, when its response is known. */
    @FunctionalInterface
    public interface AfterCost {
        /** The hits to charge; 0 or less charges nothing. */
        long of(HttpCall call, int status);
    }

    /** Starts a limiter that asks {@code weir}. */
    public static Builder builder(Weir weir) {
        return new Builder(weir);
    }

    /**
     * Decides {@code call}, and waits for the decision: for the deadline of its rules at most, and never in memory.
     *
     * @throws IllegalStateException after {@code weir} was closed, or on a Netty event loop: use {@link #decideAsync}
     */
    public LimitedCall decide(HttpCall call) {
        Admission admission = null;
        if (shedder != null) {
            Priority of = priority.apply(call);
            admission = of == null ? null : shedder.tryAcquire(of);
            if (of != null && admission == null) {
                return shed(call);
            }
        }
        try {
            if (afterDomain == null) {
                return told(call, weir.decide(request(domain, call)), admission);
            }
            Decision first = weir.decide(estimate(afterDomain, call));
            Decision decision = first.allowed() ? weir.decide(request(domain, call)) : first;
            correct(first, decision, call);
            return told(call, decision, admission);
        } catch (RuntimeException | Error e) {
            cancel(admission);
            throw e;
        }
    }

    /**
     * Decides {@code call}. The stage completes on this thread or on a thread of the store, so dependent stages must not
     * block. It is a {@link CompletableFuture}: cancelling it, when the caller has left, ends the wait, and gives back
     * what the call holds.
     *
     * @throws IllegalStateException after {@code weir} was closed
     */
    public CompletionStage<LimitedCall> decideAsync(HttpCall call) {
        Priority of = shedder == null ? null : priority.apply(call);
        Admission admission =
                of == null ? null : Objects.requireNonNull(shedder).tryAcquire(of);
        if (of != null && admission == null) {
            return CompletableFuture.completedFuture(shed(call));
        }
        CompletableFuture<LimitedCall> limited = new CompletableFuture<>();
        try {
            if (afterDomain == null) {
                decide(call, limited, admission);
            } else {
                decideAfter(afterDomain, call, limited, admission);
            }
            return limited;
        } catch (RuntimeException | Error e) {
            cancel(admission);
            throw e;
        }
    }

    private void decide(HttpCall call, CompletableFuture<LimitedCall> limited, @Nullable Admission admission) {
        CompletableFuture<Decision> decided =
                weir.decideAsync(request(domain, call)).toCompletableFuture();
        var unused = decided.whenComplete((decision, failure) -> tell(call, decision, failure, limited, admission));
        if (!decided.isDone()) {
            endsWith(limited, decided);
        }
    }

    /** Ends the wait of {@code decided} if nobody waits for {@code limited} any more. */
    private static void endsWith(CompletableFuture<LimitedCall> limited, CompletableFuture<Decision> decided) {
        var unused = limited.whenComplete((told, failure) -> {
            if (failure != null) {
                decided.cancel(false);
            }
        });
    }

    /** Charges the estimate first. If nobody waits for the decision any more, the call is not served, and costs nothing. */
    private void decideAfter(
            String after, HttpCall call, CompletableFuture<LimitedCall> limited, @Nullable Admission admission) {
        var unused = weir.decideAsync(estimate(after, call)).whenComplete((first, failure) -> {
            if (failure != null || !first.allowed()) {
                tell(call, first, failure, limited, admission);
                return;
            }
            giveBackUnlessServed(call, limited);
            if (limited.isDone()) {
                cancel(admission);
                return;
            }
            try {
                decide(call, limited, admission);
            } catch (RuntimeException | Error e) {
                tell(call, null, e, limited, admission);
            }
        });
    }

    /** Gives back the estimate of a call that is denied after it, or given up. */
    private void giveBackUnlessServed(HttpCall call, CompletableFuture<LimitedCall> limited) {
        var unused = limited.whenComplete((told, failure) -> {
            if (failure != null || !told.allowed()) {
                charge(call, -1);
            }
        });
    }

    /** Completes {@code limited}. If it was cancelled, nobody ends the call, so its permits are released here. */
    private void tell(
            HttpCall call,
            @Nullable Decision decision,
            @Nullable Throwable failure,
            CompletableFuture<LimitedCall> limited,
            @Nullable Admission admission) {
        if (decision == null) {
            cancel(admission);
            limited.completeExceptionally(Objects.requireNonNull(failure));
            return;
        }
        try {
            LimitedCall told = told(call, decision, admission);
            if (limited.complete(told)) {
                return;
            }
        } catch (RuntimeException | Error e) {
            limited.completeExceptionally(e);
        }
        decision.permit().close();
        cancel(admission);
    }

    /** The request that is charged one hit before the call, in the place of a cost that is not known yet. */
    private Request estimate(String after, HttpCall call) {
        Request request = request(after, call).withoutPermits();
        return afterUnit == null ? request : request.with(UNIT, afterUnit);
    }

    /** Gives back the estimate of a call that was denied after it. */
    private void correct(Decision first, Decision decision, HttpCall call) {
        if (first.allowed() && !decision.allowed()) {
            charge(call, -1);
        }
    }

    private static void cancel(@Nullable Admission admission) {
        if (admission != null) {
            admission.cancel();
        }
    }

    private Request request(String domain, HttpCall call) {
        Request request = Request.to(domain).asAttributes();
        if (rules != null) {
            request.onlyRules(rules);
        }
        for (int i = 0; i < names.length; i++) {
            String value = attributes[i].of(call);
            if (value != null) {
                request.with(names[i], value);
            }
        }
        return request;
    }

    private LimitedCall told(HttpCall call, Decision decided, @Nullable Admission admission) {
        DecisionAnswer answer = DecisionAnswer.of(decided, showHeaders);
        if (!decided.allowed()) {
            cancel(admission);
        }
        return new LimitedCall(
                this,
                call,
                answer.decision(),
                decided.allowed() ? admission : null,
                answer.status(),
                answer.headers(),
                answer.body());
    }

    private LimitedCall shed(HttpCall call) {
        long wait = LoadShedder.retryAfterSeconds();
        return new LimitedCall(
                this,
                call,
                null,
                null,
                Cause.CAPACITY.status(),
                List.of("Retry-After", Long.toString(wait)),
                ShedProblem.of(wait));
    }

    /** Charges what {@code call} cost, now that its response has {@code status}; one hit is charged already. */
    void chargeAfter(HttpCall call, int status) {
        if (afterCost != null) {
            try {
                charge(call, Math.max(0, afterCost.of(call, status)) - 1);
            } catch (RuntimeException e) {
                notCharged(e);
            }
        }
    }

    /** Charges {@code hits} in full, or gives them back if they are negative. Never waits. */
    private void charge(HttpCall call, long hits) {
        if (hits == 0 || afterDomain == null) {
            return;
        }
        Request request = estimate(afterDomain, call).hits(hits);
        if (hits > 0) {
            request.chargeInFull();
        }
        weir.decideAsync(request).whenComplete((charged, failure) -> {
            if (failure != null) {
                notCharged(failure);
            }
        });
    }

    private static void notCharged(Throwable failure) {
        LOG.log(Level.WARNING, "a call could not be charged after its response", failure);
    }

    /** Collects the options of an {@link HttpLimiter}; each has a default. */
    public static final class Builder {
        private final Weir weir;
        private final Map<String, Attribute> attributes = new LinkedHashMap<>();
        private @Nullable String domain;
        private TrustedProxies proxies = TrustedProxies.NONE;
        private @Nullable LoadShedder shedder;
        private Function<HttpCall, @Nullable Priority> priority = Builder::usualPriority;
        private @Nullable String afterDomain;
        private @Nullable AfterCost afterCost;
        private @Nullable String afterUnit;
        private boolean showHeaders = true;
        private @Nullable BiPredicate<String, Integer> rules;

        private Builder(Weir weir) {
            this.weir = Objects.requireNonNull(weir, "weir");
            attributes.put("endpoint", call -> call.method() + ' ' + call.path());
            attributes.put("route", HttpCall::route);
            attributes.put("ip", call -> caller(proxies, call));
            attributes.put("user_id", HttpCall::user);
            attributes.put("api_key", call -> call.header("X-API-Key"));
            attributes.put("priority", call -> call.header(PRIORITY));
        }

        /** Sets the domain whose rules apply; may be left out if the rules have one domain. */
        public Builder domain(String domain) {
            this.domain = Objects.requireNonNull(domain, "domain");
            return this;
        }

        /** Adds an attribute of the request, or replaces one of the usual ones. */
        public Builder attribute(String name, Attribute attribute) {
            attributes.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(attribute, name));
            return this;
        }

        /** Reads an attribute of the request from a header. */
        public Builder attributeFromHeader(String name, String header) {
            Objects.requireNonNull(header, "header");
            return attribute(name, call -> call.header(header));
        }

        /**
         * Sets the proxies whose header names the caller: addresses and blocks such as {@code 10.0.0.0/8}. The header is
         * read from the right, up to the first address that is not a trusted proxy. Without proxies, {@code ip} is the
         * peer of the connection.
         *
         * @throws IllegalArgumentException if one is neither an address nor a block
         */
        public Builder trustedProxies(List<String> blocks, ForwardedHeader header) {
            proxies = TrustedProxies.of(
                    blocks,
                    header == ForwardedHeader.FORWARDED
                            ? TrustedProxies.Header.FORWARDED
                            : TrustedProxies.Header.X_FORWARDED_FOR);
            return this;
        }

        /**
         * Lets a worker shedder refuse calls with 503 before any rule is asked, while this process is overloaded. GET and
         * HEAD have the priority {@code READ}, all other methods {@code WRITE}; the header {@code X-Weir-Priority} lowers it.
         */
        public Builder shedder(LoadShedder shedder) {
            return shedder(shedder, Builder::usualPriority);
        }

        /** The same with other priorities; a call whose priority is null, such as a health check, is never refused. */
        public Builder shedder(LoadShedder shedder, Function<HttpCall, @Nullable Priority> priority) {
            this.shedder = Objects.requireNonNull(shedder, "shedder");
            this.priority = Objects.requireNonNull(priority, "priority");
            return this;
        }

        /**
         * Charges the rules of {@code domain} by the response, such as for failed logins only, or for a cost that is known
         * late. Each call takes one hit before it is served, so that calls at the same time cannot overspend together.
         * After the response the hit is corrected to the true cost: given back, or more is charged, also
         * beyond the limit.
         */
        public Builder chargeAfter(String domain, AfterCost cost) {
            afterDomain = Objects.requireNonNull(domain, "domain");
            afterCost = Objects.requireNonNull(cost, "cost");
            afterUnit = null;
            return this;
        }

        /**
         * The same for those rules of {@code domain} that count {@code unit}, such as {@code output_tokens}. The domain may
         * be that of the limiter itself: a call does not meet them before.
         */
        public Builder chargeAfter(String domain, String unit, AfterCost cost) {
            chargeAfter(domain, cost);
            afterUnit = Objects.requireNonNull(unit, "unit");
            return this;
        }

        /** Asks only the rules whose names pass {@code filter}; another limiter, in front or behind, may ask the others. */
        public Builder onlyRules(Predicate<String> filter) {
            Objects.requireNonNull(filter, "filter");
            rules = (name, descriptor) -> filter.test(name);
            return this;
        }

        /** Leaves out the {@code RateLimit} headers; a denial still has {@code Retry-After}. */
        public Builder hideHeaders() {
            showHeaders = false;
            return this;
        }

        /**
         * Makes the limiter.
         *
         * @throws IllegalArgumentException if a domain has no rules, or if none is set and the rules have several
         */
        public HttpLimiter build() {
            return new HttpLimiter(this, domain == null ? onlyDomain() : known(domain));
        }

        private String onlyDomain() {
            if (weir.rules() == UnknownRules.INSTANCE) {
                throw new IllegalArgumentException("domain: not set (expected: a domain of the server's rules)");
            }
            List<String> domains = new ArrayList<>(weir.rules().domains());
            if (domains.size() > 1) {
                domains.remove(afterDomain);
            }
            if (domains.size() != 1) {
                throw new IllegalArgumentException(
                        "domain: not set (expected: one of " + String.join(", ", domains) + ")");
            }
            return domains.get(0);
        }

        private String known(String domain) {
            List<String> domains = weir.rules().domains();
            if (!domains.contains(domain) && weir.rules() != UnknownRules.INSTANCE) {
                throw new IllegalArgumentException(
                        "domain: " + domain + " (expected: one of " + String.join(", ", domains) + ")");
            }
            return domain;
        }

        private static @Nullable String caller(TrustedProxies proxies, HttpCall call) {
            String peer = call.peer();
            return peer == null || proxies == TrustedProxies.NONE
                    ? peer
                    : proxies.caller(peer, call.headers(proxies.header().text()));
        }

        private static Priority usualPriority(HttpCall call) {
            String method = call.method();
            Priority usual = method.equals("GET") || method.equals("HEAD") ? Priority.READ : Priority.WRITE;
            String asked = call.header(PRIORITY);
            for (Priority each : LOWER) {
                if (each.name().equalsIgnoreCase(asked) && each.compareTo(usual) < 0) {
                    return each;
                }
            }
            return usual;
        }
    }
}
