package dev.weir.server.access;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/** Tells whether a connection over loopback comes from a process of the server's own user; once per connection. */
final class LoopbackPeers {
    private final SocketOwners owners;
    private final Map<HttpConnection, Boolean> known = Collections.synchronizedMap(new WeakHashMap<>());

    LoopbackPeers(SocketOwners owners) {
        this.owners = owners;
    }

    boolean isOwn(HttpServerRequest request) {
        Boolean before = known.get(request.connection());
        if (before != null) {
            return before;
        }
        SocketAddress remote = request.remoteAddress();
        SocketAddress local = request.localAddress();
        boolean own = remote != null
                && local != null
                && owners.isOwn(remote.hostAddress(), remote.port(), local.hostAddress(), local.port());
        known.put(request.connection(), own);
        return own;
    }
}
