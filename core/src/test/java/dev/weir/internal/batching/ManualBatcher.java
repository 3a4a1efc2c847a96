package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import dev.weir.internal.batching.ManualTransport.HandCall;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.DeadlineExtension;

/** A lane whose loop and carrier a test has in its hands. */
abstract class ManualBatcher {
    static final long MILLI = 1_000_000;
    static final int MOST = 100;
    /** Enough for as many asks with a check each, and not for as many with more. */
    static final long ROOM = MOST * (long) (AskMemory.OF_ASK + AskMemory.OF_CHECK);

    final ManualLoop loop = new ManualLoop();
    final ManualTransport carrier = new ManualTransport();
    final AskMemory memory = new AskMemory(ROOM);
    final Batcher lane = new Batcher(loop, carrier, MOST, memory);

    RecordingAsk ask(long key) {
        return ask(key, 0, 10 * MILLI);
    }

    RecordingAsk ask(long key, int slot, long within) {
        RecordingAsk asking = new RecordingAsk();
        asking.on(key, 1);
        ask(asking, slot, within);
        return asking;
    }

    void ask(RecordingAsk asking, int slot, long within) {
        asking.deadlineNanos = loop.nanos() + within;
        asking.patienceNanos = within;
        asking.graceNanos = DeadlineExtension.MOST_NANOS;
        send(asking, slot, lane);
    }

    void send(RecordingAsk asking, int slot, Batcher to) {
        new AskDispatcher(new AskRouter() {
                    @Override
                    public int slot(Check check) {
                        return slot;
                    }

                    @Override
                    public void send(QueuedAsk pending) {
                        to.add(pending);
                    }

                    @Override
                    public void fail(QueuedAsk pending, StoreFailure failure) {
                        throw new AssertionError("nothing is in parts");
                    }

                    @Override
                    public long patienceNanos() {
                        throw new AssertionError("nothing is to be given back");
                    }

                    @Override
                    public void giveBack(QueuedAsk taken) {
                        throw new AssertionError("nothing is to be given back");
                    }

                    @Override
                    public long nanos() {
                        return loop.nanos();
                    }
                })
                .decide(asking);
    }

    void answer(HandCall call) {
        for (CheckGroup each : call.groups) {
            each.get(0).outcome.allowed = true;
        }
        lane.decided(call);
        loop.turn();
    }
}
