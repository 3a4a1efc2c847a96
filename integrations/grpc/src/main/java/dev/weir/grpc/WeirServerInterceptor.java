package dev.weir.grpc;

import dev.weir.Cause;
import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Verdict;
import dev.weir.Weir;
import dev.weir.http.internal.RateLimitFields;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.UnknownRules;
import io.grpc.Context;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Limits the calls of a gRPC server by rules. A request has the attributes {@code endpoint} ({@code POST
 * /package.Service/Method}), {@code ip}, {@code user_id} (the name in the caller's certificate) and {@code api_key} (the
 * header {@code x-api-key}); {@link Builder#attribute} adds others.
 *
 * <p>A denied call ends with {@code RESOURCE_EXHAUSTED}, {@code UNAVAILABLE} (503) or {@code PERMISSION_DENIED} (403), with
 * {@code RetryInfo} and {@code QuotaFailure}. The permits of a concurrency limit are held until the call has ended, unary or
 * stream, and are released once.
 */
public final class WeirServerInterceptor implements ServerInterceptor {
    /** Longer waits are for the caller to plan: its gRPC library should not hold the call. */
    private static final Duration LONGEST_PUSHBACK = Duration.ofSeconds(10);

    private static final int DRAFT = 11;
    private static final Metadata.Key<byte[]> DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
    private static final Metadata.Key<String> PUSHBACK = ascii("grpc-retry-pushback-ms");
    private static final Metadata.Key<String> RETRY_AFTER = ascii("retry-after");

    private final Weir weir;
    private final String domain;
    private final Map<String, Attribute> attributes;
    private final boolean pushback;
    private final boolean showHeaders;
    private final RateLimitFields fields = new RateLimitFields(DRAFT);

    private WeirServerInterceptor(Builder builder, String domain) {
        this.domain = domain;
        weir = builder.weir;
        attributes = Map.copyOf(builder.attributes);
        pushback = builder.pushback;
        showHeaders = builder.showHeaders;
    }

    /** Reads an attribute of a call; null if the call does not have it. */
    @FunctionalInterface
    public interface Attribute {
        @Nullable
        String of(GrpcCall call);
    }

    /** Starts an interceptor that asks {@code weir}. */
    public static Builder builder(Weir weir) {
        return new Builder(weir);
    }

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        GrpcCall asked = new GrpcCall(call.getMethodDescriptor(), headers, call.getAttributes());
        Request request = Request.to(domain).asAttributes();
        attributes.forEach((name, attribute) -> {
            String value = attribute.of(asked);
            if (value != null) {
                request.with(name, value);
            }
        });
        Decision decision = weir.decide(request);
        if (!decision.allowed()) {
            Metadata trailers = new Metadata();
            call.close(denial(decision, trailers), trailers);
            return new ServerCall.Listener<>() {};
        }
        Permit permit = decision.permit();
        ServerCall<A, B> limited = new LimitedServerCall<>(call, permit, headers(decision));
        if (!permit.isHeld()) {
            return next.startCall(limited, headers);
        }
        // A full executor may lose the callbacks of the listener; the context is cancelled all the same.
        Context.current().addListener(ended -> permit.close(), Runnable::run);
        try {
            return new ReleasingListener<>(next.startCall(limited, headers), permit);
        } catch (RuntimeException | Error e) {
            permit.close();
            throw e;
        }
    }

    private List<String> headers(Decision decision) {
        return showHeaders && decision instanceof MutableDecision told ? fields.of(told) : List.of();
    }

    private Status denial(Decision decision, Metadata trailers) {
        Cause cause = Objects.requireNonNullElse(decision.cause(), Cause.QUOTA);
        Status status = switch (cause.status()) {
            case 503 -> Status.UNAVAILABLE;
            case 403 -> Status.PERMISSION_DENIED;
            default -> Status.RESOURCE_EXHAUSTED;
        };
        Verdict binding = decision.binding();
        String text = binding == null ? "denied" : binding.toString();
        Duration retry = cause.passesLater() ? decision.retryAfter() : null;
        long nanos = retry == null ? 0 : retry.toNanos();
        List<ErrorDetails.Violation> violations = new ArrayList<>();
        for (Verdict each : decision.verdicts()) {
            if (!each.allowed() && !each.shadow()) {
                String rule = Objects.requireNonNullElse(each.ruleName(), "override");
                String counter = Objects.requireNonNullElse(decision.counterName(), "");
                violations.add(
                        new ErrorDetails.Violation(counter.isEmpty() ? rule : rule + ":" + counter, each.toString()));
            }
        }
        trailers.put(DETAILS, ErrorDetails.of(status.getCode().value(), text, nanos, violations));
        if (pushback) {
            boolean soon = nanos > 0 && retry != null && retry.compareTo(LONGEST_PUSHBACK) <= 0;
            trailers.put(PUSHBACK, soon ? Long.toString((nanos + 999_999) / 1_000_000) : "-1");
        }
        if (nanos > 0) {
            trailers.put(RETRY_AFTER, Long.toString((nanos + 999_999_999) / 1_000_000_000));
        }
        put(trailers, headers(decision));
        return status.withDescription(text);
    }

    private static void put(Metadata metadata, List<String> fields) {
        for (int i = 0; i < fields.size(); i += 2) {
            metadata.put(ascii(fields.get(i).toLowerCase(Locale.ROOT)), fields.get(i + 1));
        }
    }

    private static Metadata.Key<String> ascii(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    /** Adds the headers to the response, and releases the permit when the call is closed. */
    private static final class LimitedServerCall<A, B> extends SimpleForwardingServerCall<A, B> {
        private final Permit permit;
        private final List<String> fields;

        LimitedServerCall(ServerCall<A, B> call, Permit permit, List<String> fields) {
            super(call);
            this.permit = permit;
            this.fields = fields;
        }

        @Override
        public void sendHeaders(Metadata headers) {
            put(headers, fields);
            super.sendHeaders(headers);
        }

        @Override
        public void close(Status status, Metadata trailers) {
            try {
                super.close(status, trailers);
            } finally {
                permit.close();
            }
        }
    }

    /** Releases the permit of a call that is cancelled, or whose handler throws. */
    private static final class ReleasingListener<A> extends SimpleForwardingServerCallListener<A> {
        private final Permit permit;

        ReleasingListener(ServerCall.Listener<A> listener, Permit permit) {
            super(listener);
            this.permit = permit;
        }

        @Override
        public void onMessage(A message) {
            releasing(() -> super.onMessage(message));
        }

        @Override
        public void onHalfClose() {
            releasing(super::onHalfClose);
        }

        @Override
        public void onReady() {
            releasing(super::onReady);
        }

        @Override
        public void onCancel() {
            permit.close();
            super.onCancel();
        }

        @Override
        public void onComplete() {
            permit.close();
            super.onComplete();
        }

        private void releasing(Runnable callback) {
            try {
                callback.run();
            } catch (RuntimeException | Error e) {
                permit.close();
                throw e;
            }
        }
    }

    /** Collects the options of an interceptor; each has a default. */
    public static final class Builder {
        private final Weir weir;
        private final Map<String, Attribute> attributes = new LinkedHashMap<>();
        private @Nullable String domain;
        private boolean pushback = true;
        private boolean showHeaders = true;

        private Builder(Weir weir) {
            this.weir = Objects.requireNonNull(weir, "weir");
            attributes.put("endpoint", call -> "POST /" + call.method());
            attributes.put("ip", GrpcCall::peer);
            attributes.put("user_id", GrpcCall::principal);
            attributes.put("api_key", call -> call.header("x-api-key"));
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

        /**
         * Leaves out {@code grpc-retry-pushback-ms}. It says when to retry, up to 10 s, and not to retry after longer waits.
         * Clients obey it even if their retry policy does not list the status, and hedging clients retry at once.
         */
        public Builder withoutPushback() {
            pushback = false;
            return this;
        }

        /** Leaves out the {@code ratelimit} metadata. */
        public Builder hideHeaders() {
            showHeaders = false;
            return this;
        }

        /**
         * Makes the interceptor.
         *
         * @throws IllegalArgumentException if the domain has no rules, or if none is set and the rules have several
         */
        public WeirServerInterceptor build() {
            List<String> domains = weir.rules().domains();
            boolean known = weir.rules() != UnknownRules.INSTANCE;
            String found = domain == null && known && domains.size() == 1 ? domains.get(0) : domain;
            if (found == null || (known && !domains.contains(found))) {
                throw new IllegalArgumentException("domain: " + (found == null ? "not set" : found) + " (expected: "
                        + (known ? "one of " + String.join(", ", domains) : "a domain of the server's rules") + ")");
            }
            return new WeirServerInterceptor(this, found);
        }
    }
}
