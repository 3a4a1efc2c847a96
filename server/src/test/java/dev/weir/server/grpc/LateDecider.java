package dev.weir.server.grpc;

import dev.weir.limiter.Later;
import dev.weir.limiter.Waiter;
import dev.weir.model.Decision;
import dev.weir.model.Request;
import java.util.ArrayList;
import java.util.List;

/** Keeps everyone waiting until the test says so, and then tells them as a store does: a batch in one task of their home. */
final class LateDecider implements Decider {
    final List<Waiter> waiting = new ArrayList<>();
    private final Decision decision = new Decision();
    private Request last = Request.to("");
    private int descriptors;

    @Override
    public boolean decide(Request request, long nowMicros, Decision into, Later later) {
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
