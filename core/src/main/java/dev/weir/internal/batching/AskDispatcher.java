package dev.weir.internal.batching;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;

/** Accepts asks from any thread. An ask goes whole if one call can carry all of its checks, else in parts. */
public final class AskDispatcher {
    private final AskRouter way;

    public AskDispatcher(AskRouter way) {
        this.way = way;
    }

    /** As {@link dev.weir.internal.store.SharedStore#decide}. */
    public void decide(Ask ask) {
        Checks checks = ask.checks;
        int size = checks.size();
        boolean together = true;
        int counting = 0;
        int slot = size == 0 ? 0 : way.slot(checks.get(0));
        for (int i = 0; i < size; i++) {
            Check check = checks.get(i);
            check.failure = null;
            together &= i == 0 || way.slot(check) == slot;
            counting += ask.denied && check.countsDenied ? 1 : 0;
        }
        QueuedAsk pending = pending(ask);
        if (size == 0) {
            CompletionTask.now(pending);
        } else if (together && (counting == 0 || counting == size)) {
            pending.slot = slot;
            pending.group.askOnly = ask.denied && counting == 0;
            way.send(pending);
        } else {
            HashSlotPlaces.decideBySlot(pending, way);
        }
    }

    private QueuedAsk pending(Ask ask) {
        QueuedAsk pending = QueuedAsk.of(ask, way);
        CheckGroup group = pending.group;
        pending.fill(ask.checks);
        group.askOnly = ask.denied;
        group.idempotency = ask.idempotency;
        group.lookOnly = ask.lookOnly;
        return pending;
    }
}
