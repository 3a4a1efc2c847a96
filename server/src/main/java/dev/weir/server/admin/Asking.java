package dev.weir.server.admin;

import dev.weir.limiter.Limiter;
import dev.weir.model.Decision;
import dev.weir.model.Request;
import dev.weir.server.http.RestException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Asks the limiter and waits, as a call on the admin port may. */
final class Asking {
    private static final long ANSWER_SECONDS = 2;

    private Asking() {}

    static Decision ask(Limiter limiter, Request request) {
        try {
            return limiter.decideAsync(request)
                    .toCompletableFuture()
                    .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            throw RestException.unavailable("the store does not answer");
        }
    }
}
