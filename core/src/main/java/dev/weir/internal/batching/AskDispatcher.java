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
        int slot = size == 0 ? 0 : way.slot(checks.get(0));
        for (int i = 0; i < size; i++) {
            Check check = checks.get(i);
            check.failure = null;
            together &= i == 0 || way.slot(check) == slot;
            together &= !ask.denied || !check.countsDenied;
        }
        QueuedAsk pending = pending(ask);
        if (size == 0) {
            CompletionTask.now(pending);
        } else if (together) {
            pending.slot = slot;
            way.send(pending);
        } else {
            PartitionedAsk.bySlot(pending, way);
        }
    }

    private QueuedAsk pending(Ask ask) {
        QueuedAsk pending = QueuedAsk.of(ask, way);
        CheckGroup group = pending.group;
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
