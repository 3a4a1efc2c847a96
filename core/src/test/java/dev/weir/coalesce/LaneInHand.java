package dev.weir.coalesce;

import dev.weir.coalesce.HandCarrier.HandCall;
import dev.weir.store.Ask;
import dev.weir.store.Check;
import dev.weir.store.StoreFailure;

/** A lane whose loop and carrier a test has in its hands. */
abstract class LaneInHand {
    static final long MILLI = 1_000_000;
    static final int MOST = 100;

    final HandLoop loop = new HandLoop();
    final HandCarrier carrier = new HandCarrier();
    final Lane lane = new Lane(loop, carrier, MOST);

    Asking ask(long key) {
        return ask(key, 0, 10 * MILLI);
    }

    Asking ask(long key, int slot, long within) {
        Asking asking = new Asking();
        asking.on(key, 1);
        ask(asking, slot, within);
        return asking;
    }

    void ask(Asking asking, int slot, long within) {
        asking.deadlineNanos = loop.nanos() + within;
        asking.patienceNanos = within;
        asking.graceNanos = Ask.MOST_GRACE_NANOS;
        send(asking, slot, lane);
    }

    void send(Asking asking, int slot, Lane to) {
        new Dispatch(new Way() {
                    @Override
                    public int slot(Check check) {
                        return slot;
                    }

                    @Override
                    public void send(Pending pending) {
                        to.add(pending);
                    }

                    @Override
                    public void fail(Pending pending, StoreFailure failure) {
                        throw new AssertionError("nothing is in parts");
                    }

                    @Override
                    public long patienceNanos() {
                        throw new AssertionError("nothing is to be given back");
                    }

                    @Override
                    public void giveBack(Pending taken) {
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
        for (Group each : call.groups) {
            each.get(0).outcome.allowed = true;
        }
        lane.decided(call);
        loop.turn();
    }
}
