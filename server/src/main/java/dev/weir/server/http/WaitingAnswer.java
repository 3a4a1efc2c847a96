package dev.weir.server.http;

import dev.weir.server.memory.WaitingMemory;
import io.vertx.core.http.HttpServerRequest;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Charges the peer of a request for the memory that the request takes while its answer waits. Thread-safe. */
public final class WaitingAnswer {
    private final @Nullable WaitingMemory budget;
    private final @Nullable SocketAddress remote;
    private final int bytes;
    private boolean charged;
    private boolean over;

    /** {@code request} is not charged yet; never, if its port has no guard. */
    public WaitingAnswer(HttpServerRequest request) {
        HttpConnectionMeter meter = HttpConnectionMeter.of(request.connection());
        this.budget = meter == null ? null : meter.waiting();
        this.remote = meter == null ? null : meter.remote();
        this.bytes = RequestSize.of(request);
    }

    /** Charges it, unless that was done; false if there is no room, or if it was answered. */
    public synchronized boolean charge() {
        if (!charged && !over) {
            charged = budget == null || budget.take(remote, bytes);
        }
        return charged;
    }

    /** Ends the charge, for good. */
    public synchronized void end() {
        over = true;
        if (charged) {
            charged = false;
            if (budget != null) {
                budget.giveBack(remote, bytes);
            }
        }
    }
}
