package dev.weir.client;

import dev.weir.client.internal.CallOrigin;
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
            origin = CallOrigin.of(uri.getScheme(), uri.getHost(), uri.getPort());
            attempt = pacer.begin(origin);
        }

        /** Reads the head of an answer: the body of one that is retried is discarded. */
        HttpResponse.BodySubscriber<@Nullable T> head(HttpResponse.ResponseInfo info) {
            boolean refused =
                    attempt.answered(info.statusCode(), name -> info.headers().allValues(name));
            again = refused && repeatable && attempt.mayRetry(retries);
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
                attempt = pacer.retry(origin);
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
        return sendAsync(request, handler, null);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes) {
        Attempts<T> attempts = new Attempts<>(request, handler);
        PendingAnswer<HttpResponse<T>> answer = new PendingAnswer<>();
        go(attempts, pushes, answer);
        return answer;
    }

    /** Waits for the turn of the next attempt and sends it, unless the caller gave up. */
    private <T> void go(
            Attempts<T> attempts, @Nullable PushPromiseHandler<T> pushes, PendingAnswer<HttpResponse<T>> answer) {
        PacedCall attempt = attempts.attempt;
        Duration wait = attempt.delay();
        if (answer.isGivenUp()) {
            return;
        }
        if (wait.isZero()) {
            attempt.sent();
            send(attempts, pushes, answer);
        } else if (attempt.isOverdue()) {
            answer.completeExceptionally(attempts.late());
        } else {
            CompletableFuture.delayedExecutor(wait.toNanos(), TimeUnit.NANOSECONDS)
                    .execute(() -> go(attempts, pushes, answer));
        }
    }

    private <T> void send(
            Attempts<T> attempts, @Nullable PushPromiseHandler<T> pushes, PendingAnswer<HttpResponse<T>> answer) {
        CompletableFuture<HttpResponse<T>> sent;
        try {
            sent = client.sendAsync(attempts.request, (BodyHandler<T>) attempts::head, pushes);
        } catch (RuntimeException e) {
            attempts.attempt.failed();
            answer.completeExceptionally(e);
            return;
        }
        answer.waitsFor(sent);
        var unused = sent.whenComplete((response, failure) -> {
            if (failure != null) {
                attempts.attempt.failed();
                answer.failWith(failure);
            } else if (attempts.again()) {
                go(attempts, pushes, answer);
            } else {
                answer.complete(response);
            }
        });
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
