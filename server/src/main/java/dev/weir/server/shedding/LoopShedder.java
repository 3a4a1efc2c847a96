package dev.weir.server.shedding;

import dev.weir.LoadShedder;
import dev.weir.LoadShedder.Admission;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Refuses requests of the HTTP port while the event loop that would serve them is overloaded. One per event loop; not
 * thread-safe.
 *
 * <p>An event loop reads all connections that have something to read, and then runs its tasks. For the shedder, a
 * request is in flight from its head until that round ends. So what is measured is the work that the loop has taken on
 * at once. The wait for Redis is no work: a request that waits for it is not in flight, and a slow or dead Redis cannot
 * make this shedder refuse anything.
 */
final class LoopShedder implements Handler<HttpServerRequest> {
    /** A process that refuses its health check is restarted, and one that refuses its metrics is blind. */
    private static final Set<String> BYPASS = Set.of("/healthcheck", "/metrics");

    private final LoadShedder shedder;
    private final RequestPriority priority;
    private final Handler<HttpServerRequest> next;
    private final List<Admission> round = new ArrayList<>();

    LoopShedder(LoadShedder shedder, RequestPriority priority, Handler<HttpServerRequest> next) {
        this.shedder = shedder;
        this.priority = priority;
        this.next = next;
    }

    @Override
    public void handle(HttpServerRequest request) {
        if (BYPASS.contains(String.valueOf(request.path()))) {
            next.handle(request);
            return;
        }
        Admission admission = shedder.tryAcquire(priority.of(request));
        if (admission == null) {
            Overloaded.answer().send(request.response());
            return;
        }
        round.add(admission);
        if (round.size() == 1) {
            Vertx.currentContext().runOnContext(read -> endRound());
        }
        next.handle(request);
    }

    private void endRound() {
        for (Admission each : round) {
            each.close();
        }
        round.clear();
    }
}
