package dev.weir.server.shedding;

import dev.weir.LoadShedder;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.HttpProblems;

/** The answer to a request that is refused because this process is overloaded. */
final class Overloaded {
    private static final String DETAIL = "this server is overloaded (expected: the same request after Retry-After)";

    private Overloaded() {}

    static HttpAnswer answer() {
        return HttpProblems.of(problem());
    }

    static HttpProblemException problem() {
        return HttpProblemException.reducedCapacity(DETAIL, LoadShedder.retryAfterSeconds());
    }
}
