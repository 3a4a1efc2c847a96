package dev.weir.spring.internal.web;

import dev.weir.spring.RateLimitedException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Finds the denial in a failure: futures wrap it. */
final class Denials {
    private Denials() {}

    static @Nullable RateLimitedException in(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof RateLimitedException denial ? denial : null;
    }
}
