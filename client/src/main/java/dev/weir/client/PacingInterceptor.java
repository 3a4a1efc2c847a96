package dev.weir.client;

import dev.weir.client.internal.CallOrigin;
import dev.weir.client.internal.RetryRule;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * Paces and retries the calls of an OkHttp client with a {@link Pacer}: {@code addInterceptor(new
 * PacingInterceptor(pacer))}.
 *
 * <p>It waits on the thread of the call; for asynchronous calls that is one of the dispatcher. The pacer's {@code maxWait}
 * bounds the wait, and a call whose turn does not come in time fails with {@link InterruptedIOException}.
 */
@SuppressWarnings("exports") // OkHttp is optional: who uses this class requires okhttp3
public final class PacingInterceptor implements Interceptor {
    private final Pacer pacer;

    /** Paces with {@code pacer}. */
    public PacingInterceptor(Pacer pacer) {
        this.pacer = Objects.requireNonNull(pacer, "pacer");
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Request request = chain.request();
        boolean keyed = request.header(RetryRule.KEY) != null;
        boolean safe = RetryRule.isIdempotent(request.method());
        if (!safe && !keyed && pacer.addsIdempotencyKeys()) {
            keyed = true;
            request = request.newBuilder()
                    .header(RetryRule.KEY, RetryRule.newKey())
                    .build();
        }
        RequestBody body = request.body();
        boolean repeatable = (safe || keyed) && (body == null || !body.isOneShot());
        HttpUrl url = request.url();
        String origin = CallOrigin.of(url.scheme(), url.host(), url.port());
        PacedCall attempt = pacer.begin(origin);
        for (int retries = 0; ; retries++) {
            await(attempt, chain, origin);
            attempt.sent();
            Response response;
            try {
                response = chain.proceed(request);
            } catch (IOException | RuntimeException e) {
                attempt.failed();
                throw e;
            }
            boolean refused = attempt.answered(response.code(), response::headers);
            if (!refused || !repeatable || !attempt.mayRetry(retries)) {
                return response;
            }
            response.close();
            attempt = pacer.retry(origin);
        }
    }

    private static void await(PacedCall attempt, Chain chain, String origin) throws IOException {
        try {
            for (Duration wait = attempt.delay(); !wait.isZero(); wait = attempt.delay()) {
                if (attempt.isOverdue()) {
                    throw new InterruptedIOException(
                            "the limits of " + origin + " leave no room for this call in time");
                }
                if (chain.call().isCanceled()) {
                    throw new IOException("Canceled");
                }
                TimeUnit.NANOSECONDS.sleep(wait.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for its turn");
        }
    }
}
