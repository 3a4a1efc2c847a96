package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps what it is to send, for a test to say what becomes of it. */
final class ManualTransport implements BatchTransport {
    /** A call of up to so many groups. */
    static final int ROOM = 3;

    static final long PATIENCE_NANOS = 10_000_000;

    static final class HandCall extends BatchedCall {
        final List<CheckGroup> groups = new ArrayList<>();
        boolean done;

        HandCall(int slot, boolean asking) {
            super(slot, asking);
        }

        @Override
        public boolean add(CheckGroup group) {
            return groups.size() < ROOM && groups.add(group);
        }

        @Override
        public int groups() {
            return groups.size();
        }

        @Override
        public CheckGroup group(int index) {
            return groups.get(index);
        }

        @Override
        protected void done() {
            done = true;
        }

        /** The counters that are asked, in their order. */
        List<Long> keys() {
            return groups.stream().map(each -> each.get(0).key0).toList();
        }
    }

    final List<List<HandCall>> rounds = new ArrayList<>();
    final List<StoreFailure> unanswered = new ArrayList<>();

    @Nullable
    StoreFailure down;

    /** Thrown instead of sending. */
    @Nullable
    Error broken;

    boolean fresh;
    boolean open;
    int succeeded;
    int failed;
    /** How long the last round took, as it was told. */
    long tookNanos;

    /** The calls of the last round. */
    List<HandCall> last() {
        return rounds.get(rounds.size() - 1);
    }

    @Override
    public @Nullable StoreFailure down() {
        return down;
    }

    @Override
    public boolean isNew() {
        return fresh;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public BatchedCall call(int slot, boolean asking) {
        return new HandCall(slot, asking);
    }

    @Override
    public void send(List<BatchedCall> calls) {
        if (broken != null) {
            throw broken;
        }
        rounds.add(calls.stream().map(each -> (HandCall) each).toList());
    }

    @Override
    public void succeeded(long nanos) {
        tookNanos = nanos;
        succeeded++;
    }

    @Override
    public void failed(long nanos) {
        failed++;
    }

    @Override
    public long patienceNanos() {
        return PATIENCE_NANOS;
    }

    @Override
    public void unanswered(StoreFailure failure) {
        unanswered.add(failure);
    }
}
