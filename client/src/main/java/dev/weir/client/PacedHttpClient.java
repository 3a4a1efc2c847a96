package dev.weir.client;

import dev.weir.client.internal.RetryRule;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpTimeoutException;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * A {@link HttpClient} whose calls a {@link Pacer} paces and retries: use it in place of the one that it wraps.
 *
 * <pre>{@code
 * HttpClient client = PacedHttpClient.of(HttpClient.newHttpClient(), pacer);
 * }</pre>
 *
 * <p>{@code send} waits for its turn on the calling thread; {@code sendAsync} waits without one. A call whose turn does not
 * come in time fails with {@link HttpTimeoutException}. A refused call is sent again if its body has a known length. POST
 * and PATCH get an {@code Idempotency-Key} for that.
 */
public final class PacedHttpClient extends HttpClient {
    private final HttpClient client;
    private final Pacer pacer;

    private PacedHttpClient(HttpClient client, Pacer pacer) {
        this.client = Objects.requireNonNull(client, "client");
        this.pacer = Objects.requireNonNull(pacer, "pacer");
    }

    /** Paces the calls of {@code client} with {@code pacer}. */
    public static HttpClient of(HttpClient client, Pacer pacer) {
        return new PacedHttpClient(client, pacer);
    }

    /** One call with its retries. */
    private final class Attempts<T> {
        private final HttpRequest request;
        private final String origin;
        private final BodyHandler<T> handler;
        private final boolean repeatable;
        private int retries;
        private PacedCall attempt;
        private volatile boolean again;

        Attempts(HttpRequest given, BodyHandler<T> handler) {
            this.handler = handler;
            boolean keyed = given.headers().firstValue(RetryRule.KEY).isPresent();
            boolean safe = RetryRule.isIdempotent(given.method());
            boolean addsKey = !safe && !keyed && pacer.addsIdempotencyKeys();
            request = addsKey
                    ? HttpRequest.newBuilder(given, (name, value) -> true)
                            .header(RetryRule.KEY, RetryRule.newKey())
                            .build()
                    : given;
            boolean resends =
                    given.bodyPublisher().map(body -> body.contentLength() >= 0).orElse(true);
            repeatable = resends && (safe || keyed || addsKey);
            URI uri = given.uri();
            origin = uri.getScheme() + "://" + uri.getRawAuthority();
            attempt = pacer.begin(origin);
        }

        /** Reads the head of an answer: the body of one that is retried is discarded. */
        HttpResponse.BodySubscriber<@Nullable T> head(HttpResponse.ResponseInfo info) {
            boolean refused =
                    attempt.answered(info.statusCode(), name -> info.headers().allValues(name));
            again = refused && repeatable && retries < pacer.maxRetries() && pacer.tryRetry();
            if (again) {
                retries++;
                return BodySubscribers.replacing(null);
            }
            return cast(handler.apply(info));
        }

        @SuppressWarnings("unchecked") // a subscriber of T is one of a T that may be null
        private HttpResponse.BodySubscriber<@Nullable T> cast(HttpResponse.BodySubscriber<T> subscriber) {
            return (HttpResponse.BodySubscriber<@Nullable T>) (HttpResponse.BodySubscriber<?>) subscriber;
        }

        /** Whether the last answer was a refusal after which the call is sent again. */
        boolean again() {
            if (again) {
                attempt = pacer.begin(origin);
            }
            return again;
        }

        HttpTimeoutException late() {
            attempt.failed();
            return new HttpTimeoutException("the limits of " + origin + " leave no room for this call in time");
        }
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        Attempts<T> attempts = new Attempts<>(request, handler);
        while (true) {
            for (Duration wait = attempts.attempt.delay(); !wait.isZero(); wait = attempts.attempt.delay()) {
                if (attempts.attempt.isOverdue()) {
                    throw attempts.late();
                }
                TimeUnit.NANOSECONDS.sleep(wait.toNanos());
            }
            attempts.attempt.sent();
            HttpResponse<T> response;
            try {
                response = client.send(attempts.request, attempts::head);
            } catch (IOException | InterruptedException | RuntimeException e) {
                attempts.attempt.failed();
                throw e;
            }
            if (!attempts.again()) {
                return response;
            }
        }
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        return attempt(new Attempts<>(request, handler), null);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes) {
        return attempt(new Attempts<>(request, handler), pushes);
    }

    private <T> CompletableFuture<HttpResponse<T>> attempt(
            Attempts<T> attempts, @Nullable PushPromiseHandler<T> pushes) {
        Duration wait = attempts.attempt.delay();
        if (!wait.isZero()) {
            if (attempts.attempt.isOverdue()) {
                return CompletableFuture.failedFuture(attempts.late());
            }
            Executor later = CompletableFuture.delayedExecutor(wait.toNanos(), TimeUnit.NANOSECONDS);
            return CompletableFuture.supplyAsync(() -> attempts, later).thenCompose(same -> attempt(same, pushes));
        }
        attempts.attempt.sent();
        return client.sendAsync(attempts.request, (BodyHandler<T>) attempts::head, pushes)
                .whenComplete((response, failure) -> {
                    if (failure != null) {
                        attempts.attempt.failed();
                    }
                })
                .thenCompose(response ->
                        attempts.again() ? attempt(attempts, pushes) : CompletableFuture.completedFuture(response));
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return client.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return client.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
        return client.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return client.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return client.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return client.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return client.authenticator();
    }

    @Override
    public Version version() {
        return client.version();
    }

    @Override
    public Optional<Executor> executor() {
        return client.executor();
    }

    @Override
    public WebSocket.Builder newWebSocketBuilder() {
        return client.newWebSocketBuilder();
    }
}
