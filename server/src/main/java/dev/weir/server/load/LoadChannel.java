package dev.weir.server.load;

import dev.weir.redis.internal.notes.NewsStream;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Carries the texts in which servers send each other loads. Both calls fail while the others are unreachable. */
interface LoadChannel {

    CompletionStage<Void> post(String text);

    /** The texts that were posted since the last call. */
    CompletionStage<List<String>> next();

    /** The channel through {@code stream}, in Redis. */
    static LoadChannel of(NewsStream stream) {
        return new LoadChannel() {
            @Override
            public CompletionStage<Void> post(String text) {
                return stream.post(text);
            }

            @Override
            public CompletionStage<List<String>> next() {
                return stream.next();
            }
        };
    }
}
