package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** What a batch brought back, sorted by who waits where. Used in one event loop. */
final class Answers {
    private final List<Delivery> deliveries = new ArrayList<>();
    private int count;

    void add(Pending pending) {
        count++;
        Executor home = pending.home();
        for (int i = 0; i < deliveries.size(); i++) {
            Delivery each = deliveries.get(i);
            if (each.home == home) {
                each.add(pending);
                return;
            }
        }
        Delivery first = new Delivery(home);
        first.add(pending);
        deliveries.add(first);
    }

    boolean isEmpty() {
        return count == 0;
    }

    int size() {
        return count;
    }

    /** Sends them home. */
    void deliver() {
        count = 0;
        // What is told in this very loop may ask again at once, and fail at once: so the list is left before anyone is
        // told.
        Delivery[] going = deliveries.toArray(new Delivery[0]);
        deliveries.clear();
        for (Delivery each : going) {
            each.start();
        }
    }
}
