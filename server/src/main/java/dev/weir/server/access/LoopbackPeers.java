package dev.weir.server.access;

import dev.weir.server.lifecycle.ThrottledBatches;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a connection over loopback comes from a process of the server's own user; once per connection. The
 * tables of sockets grow with the connections of the whole machine, so they are read on a worker thread, once for all
 * connections that wait.
 */
final class LoopbackPeers {
    /** A connection that waits for the next reading, and its event loop. */
    private record Lookup(SocketOwners.Ends ends, Context home, Promise<Boolean> own) {
        void answer(boolean isOwn) {
            home.runOnContext(here -> own.complete(isOwn));
        }
    }

    private final SocketOwners owners;
    private final Map<HttpConnection, Future<Boolean>> known = Collections.synchronizedMap(new WeakHashMap<>());
    private @Nullable ThrottledBatches<Lookup> lookups;

    LoopbackPeers(SocketOwners owners) {
        this.owners = owners;
    }

    /** Whether the request comes from such a process; to be called and answered on the request's event loop. */
    Future<Boolean> isOwn(HttpServerRequest request) {
        HttpConnection connection = request.connection();
        Future<Boolean> before = known.get(connection);
        if (before != null) {
            return before;
        }
        SocketAddress remote = request.remoteAddress();
        SocketAddress local = request.localAddress();
        if (remote == null || local == null) {
            return Future.succeededFuture(false);
        }
        Promise<Boolean> own = Promise.promise();
        known.put(connection, own.future());
        own.future().onSuccess(answer -> known.put(connection, Future.succeededFuture(answer)));
        Context home = Vertx.currentContext();
        SocketOwners.Ends ends =
                new SocketOwners.Ends(remote.hostAddress(), remote.port(), local.hostAddress(), local.port());
        lookups(home.owner()).add(new Lookup(ends, home, own));
        return own.future();
    }

    private synchronized ThrottledBatches<Lookup> lookups(Vertx vertx) {
        if (lookups == null) {
            lookups = new ThrottledBatches<>(vertx, this::read);
        }
        return lookups;
    }

    private void read(List<Lookup> batch) {
        Set<SocketOwners.Ends> own = Set.of();
        try {
            own = owners.own(batch.stream().map(Lookup::ends).toList());
        } finally {
            for (Lookup each : batch) {
                each.answer(own.contains(each.ends()));
            }
        }
    }
}
