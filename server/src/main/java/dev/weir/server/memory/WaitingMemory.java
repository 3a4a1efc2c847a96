package dev.weir.server.memory;

import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The budget for requests that are read and whose answers wait: for their turn in a queue, or for another request with
 * the same idempotency key. One that does not fit does not wait; no connection is closed for it.
 */
public final class WaitingMemory {
    private final long most;
    private final long mostOfAddress;
    private final AtomicLong held = new AtomicLong();
    private final Map<String, Long> heldByAddress = new ConcurrentHashMap<>();

    /** One address may take half of {@code most} bytes. */
    WaitingMemory(long most) {
        this.most = most;
        this.mostOfAddress = most / 2;
    }

    /** Charges {@code bytes} to {@code remote}; false if its share, or all of it, is used up. */
    public boolean take(@Nullable SocketAddress remote, int bytes) {
        if (held.addAndGet(bytes) > most) {
            held.addAndGet(-bytes);
            return false;
        }
        boolean[] fits = new boolean[1];
        heldByAddress.compute(PeerAddress.of(remote), (name, before) -> {
            long own = before == null ? 0 : before;
            fits[0] = own + bytes <= mostOfAddress;
            return fits[0] ? Long.valueOf(own + bytes) : before;
        });
        if (!fits[0]) {
            held.addAndGet(-bytes);
        }
        return fits[0];
    }

    /** Gives back what was taken. */
    public void giveBack(@Nullable SocketAddress remote, int bytes) {
        heldByAddress.computeIfPresent(PeerAddress.of(remote), (name, own) -> own == bytes ? null : own - bytes);
        held.addAndGet(-bytes);
    }

    /** The bytes that are charged now. */
    public long held() {
        return held.get();
    }
}
