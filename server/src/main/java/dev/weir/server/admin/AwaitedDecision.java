package dev.weir.server.admin;

import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.model.MutableDecision;
import dev.weir.server.http.HttpProblemException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Asks the limiter and blocks for its decision, as calls of the admin port may. */
final class AwaitedDecision {
    private static final long TIMEOUT_SECONDS = 2;

    private AwaitedDecision() {}

    static MutableDecision ask(Limiter limiter, Request request) {
        return await(limiter.decideAsync(request));
    }

    /** Waits for {@code answer}. */
    static <T> T await(CompletionStage<T> answer) {
        try {
            return answer.toCompletableFuture()
                    .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            throw HttpProblemException.unavailable("the store is unreachable");
        }
    }
}
