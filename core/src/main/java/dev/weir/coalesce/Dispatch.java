package dev.weir.coalesce;

import dev.weir.store.Ask;
import dev.weir.store.Check;
import dev.weir.store.Checks;

/** Takes up asks: whole where one call may carry all of its checks, else in parts. Any thread may ask. */
public final class Dispatch {
    private final Way way;

    public Dispatch(Way way) {
        this.way = way;
    }

    /** As {@link dev.weir.store.SharedStore#decide}. */
    public void decide(Ask ask) {
        Checks checks = ask.checks;
        int size = checks.size();
        boolean together = true;
        int slot = size == 0 ? 0 : way.slot(checks.get(0));
        for (int i = 0; i < size; i++) {
            Check check = checks.get(i);
            check.failure = null;
            together &= i == 0 || way.slot(check) == slot;
            together &= !ask.denied || !check.countsDenied;
        }
        Pending pending = pending(ask);
        if (size == 0) {
            Delivery.now(pending);
        } else if (together) {
            pending.slot = slot;
            way.send(pending);
        } else {
            SplitAsk.bySlot(pending, way);
        }
    }

    private Pending pending(Ask ask) {
        Pending pending = Pending.of(ask, way);
        Group group = pending.group;
        for (int i = 0; i < ask.checks.size(); i++) {
            group.add(ask.checks.get(i));
        }
        group.quotaPassed = ask.checks.quotaPassed;
        group.askOnly = ask.denied;
        group.idempotency = ask.idempotency;
        group.lookOnly = ask.lookOnly;
        return pending;
    }
}
