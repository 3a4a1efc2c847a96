package dev.weir.server.grpc;

import dev.weir.Request;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.MutableDecision;
import java.util.ArrayList;
import java.util.List;

/** Keeps everyone waiting until the test says so, and then tells them as a store does: a batch in one task of their home. */
final class LateDecider implements Decider {
    final List<Waiter> waiting = new ArrayList<>();
    private final MutableDecision decision = new MutableDecision();
    private Request last = Request.to("");
    private int descriptors;

    @Override
    public boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later) {
        descriptors = request.descriptors();
        waiting.add(later.waiter());
        return false;
    }

    /** Tells everyone that they may pass, in a task of the home of the first. */
    void tell() {
        List<Waiter> batch = List.copyOf(waiting);
        waiting.clear();
        batch.get(0).home().execute(() -> batch.forEach(this::tell));
    }

    private void tell(Waiter waiter) {
        decision.begin(0);
        decision.end(true, -1);
        last = Request.to("d");
        for (int i = 0; i < descriptors; i++) {
            last.descriptor();
        }
        waiter.decided(last, decision);
    }
}
