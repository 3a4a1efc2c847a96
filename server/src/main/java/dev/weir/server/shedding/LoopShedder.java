package dev.weir.server.shedding;

import dev.weir.LoadShedder;
import dev.weir.LoadShedder.Admission;
import dev.weir.LoadShedder.Priority;
import dev.weir.server.http.DirectHandler;
import dev.weir.server.http.HttpAnswer;
import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

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
        if (admits(priority.of(request), end -> Vertx.currentContext().runOnContext(read -> end.run()))) {
            next.handle(request);
        } else {
            Overloaded.answer().send(request);
        }
    }

    /** Wraps the handler of plain requests on the same event loop. */
    DirectHandler before(DirectHandler direct) {
        return new Direct(direct);
    }

    private boolean admits(Priority asked, Executor afterRound) {
        Admission admission = shedder.tryAcquire(asked);
        if (admission == null) {
            return false;
        }
        round.add(admission);
        if (round.size() == 1) {
            afterRound.execute(this::endRound);
        }
        return true;
    }

    private void endRound() {
        for (Admission each : round) {
            each.close();
        }
        round.clear();
    }

    /** Refuses plain requests likewise. */
    private final class Direct implements DirectHandler {
        private final DirectHandler next;

        Direct(DirectHandler next) {
            this.next = next;
        }

        @Override
        public String path() {
            return next.path();
        }

        @Override
        public int longestBody() {
            return next.longestBody();
        }

        @Override
        public boolean isOpen() {
            return next.isOpen();
        }

        @Override
        public @Nullable HttpAnswer answer(ChannelHandlerContext connection, byte[] body) {
            return admits(Priority.WRITE, connection.executor()) ? next.answer(connection, body) : Overloaded.answer();
        }
    }
}
