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
        if (size == 0) {
            Delivery.now(Pending.of(ask));
        } else if (together) {
            decideTogether(ask, slot);
        } else {
            decideApart(ask);
        }
    }

    private void decideTogether(Ask ask, int slot) {
        Checks checks = ask.checks;
        Pending pending = Pending.of(ask);
        for (int i = 0; i < checks.size(); i++) {
            pending.group.add(checks.get(i));
        }
        pending.group.quotaPassed = checks.quotaPassed;
        pending.group.askOnly = ask.denied;
        pending.group.idempotency = ask.idempotency;
        pending.group.lookOnly = ask.lookOnly;
        pending.slot = slot;
        way.send(pending);
    }

    private void decideApart(Ask ask) {
        SplitAsk split = new SplitAsk(ask, way);
        for (int i = 0; i < ask.checks.size(); i++) {
            Check check = ask.checks.get(i);
            split.add(check, way.slot(check));
        }
        split.start();
    }
}
