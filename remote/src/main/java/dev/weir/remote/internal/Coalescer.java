package dev.weir.remote.internal;

import dev.weir.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sends the requests that wait for the thread of a connection: one alone as Envoy's protocol has it, several in one call of
 * Weir's own, which costs both sides a fraction. Nothing waits for company: a request leaves as soon as the thread is free.
 *
 * <p>A server that does not know such calls gets each request alone, from its first answer on.
 */
final class Coalescer {
    /** The most requests of a call; a server refuses more. */
    static final int MOST = 128;

    private static final int MOST_BYTES = 256 << 10;

    private final GrpcChannel channel;
    private final Queue<PendingDecision> waiting = new ConcurrentLinkedQueue<>();
    /** Whether the thread of the connection is going to look at {@link #waiting}. */
    private final AtomicBoolean awake = new AtomicBoolean();
    /** Whether the server does not know calls with several requests. Used by the thread of the connection. */
    private boolean alone;

    Coalescer(GrpcChannel channel) {
        this.channel = channel;
    }

    /** Sends {@code request} soon, from any thread. */
    void add(PendingDecision request) {
        waiting.add(request);
        if (!awake.get() && awake.compareAndSet(false, true)) {
            try {
                channel.execute(this::sendAll);
            } catch (RejectedExecutionException e) { // closed meanwhile
                fail(new ArrayList<>(waiting), StoreFailure.UNAVAILABLE);
            }
        }
    }

    private void sendAll() {
        awake.set(false);
        List<PendingDecision> together = new ArrayList<>();
        int bytes = 0;
        PendingDecision next;
        while ((next = waiting.poll()) != null) {
            if (next.isDecided()) {
                next.failed(StoreFailure.TIMEOUT, null); // nobody waits for it any more
                continue;
            }
            if (together.size() == MOST || bytes + next.message().length > MOST_BYTES) {
                send(together);
                together = new ArrayList<>();
                bytes = 0;
            }
            together.add(next);
            bytes += next.message().length;
        }
        send(together);
    }

    private void send(List<PendingDecision> requests) {
        if (alone || requests.size() == 1) {
            requests.forEach(each -> each.sent(channel.ask(each.message(), each)));
        } else if (!requests.isEmpty()) {
            Runnable cancel = channel.askTogether(BatchMessage.of(requests), new Batch(requests));
            requests.forEach(each -> each.sent(cancel));
        }
    }

    private static void fail(List<PendingDecision> requests, StoreFailure failure) {
        for (PendingDecision each : requests) {
            if (!each.isClosed()) {
                each.failed(failure, null);
            }
        }
    }

    /** The requests of one call. */
    private final class Batch implements GrpcChannel.Answers {
        private final List<PendingDecision> requests;

        Batch(List<PendingDecision> requests) {
            this.requests = requests;
        }

        @Override
        public void some(byte[] message) {
            try {
                BatchMessage.read(message, requests);
            } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
                fail(requests, StoreFailure.BROKEN);
            }
        }

        @Override
        public void ended(StoreFailure failure) {
            fail(requests, failure);
        }

        @Override
        public void unknown() {
            alone = true;
            send(requests);
        }
    }
}
