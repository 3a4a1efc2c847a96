package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An ask whose checks do not fit one call, decided part by part: its counters live in different slots, or in one that moves, or some
 * of them count a request that is denied already.
 *
 * <h2>All or nothing</h2>
 *
 * Parts that count when denied take in any case, so they go first and all at once. Of the others the tightest goes first, for it is the
 * likeliest to deny: then the others are asked without taking, so that every check has its outcome. Else they take, all at once, which is
 * two round trips however many there are; when one denies, what the others took is given back. So what is admitted never exceeds a limit;
 * what is taken and given back is missing to others for as long as that takes. A part that fails stops nobody: what its failure means is
 * for the asker to say. After the deadline nothing is sent any more, and fails.
 *
 * <p>Parts that give back deny nothing and could not be undone, for others may have the room by then: they go when all else is decided.
 *
 * <h2>Idempotency</h2>
 *
 * The part of the last check goes last of all, when the others are decided, and keeps the key: so what is kept was admitted as a whole.
 * It looks the key up also if others denied; if the request was admitted before, what the others took or counted this time goes back,
 * and nothing is refunded again.
 *
 * <h2>Concurrency</h2>
 *
 * Parts are decided in the loops of their lanes. The last of those under way goes on; nothing else touches the state.
 */
final class PartitionedAsk implements AskPartListener {
    private final QueuedAsk whole;
    private final AskRouter way;
    private final AskPartition parts;
    private final PartialOutcome standing;
    /** Parts that were sent and not decided yet; and one more as long as not all of them are sent. */
    private final AtomicInteger underWay = new AtomicInteger();
    /** What was sent last; what is only asked comes too late to matter. */
    private List<AskPart> sent = List.of();

    private int taken;
    private boolean counted;
    private boolean denied;
    private boolean asked;
    /** The keeper was sent, and with it everything that may deny. */
    private boolean kept;

    private boolean refunded;
    private boolean repeated;
    private boolean conflict;

    private PartitionedAsk(QueuedAsk whole, AskRouter way, boolean byKey) {
        this.whole = whole;
        this.way = way;
        this.parts = new AskPartition(whole, this, way, byKey);
        this.standing = new PartialOutcome(parts.quotas, parts.quotaPassed);
        this.denied = whole.group.askOnly;
    }

    /** Decides {@code whole}, whose counters live in several slots. */
    static void bySlot(QueuedAsk whole, AskRouter way) {
        new PartitionedAsk(whole, way, false).goOn();
    }

    /** Decides {@code whole}, whose keys share a slot that moves: as long as it does, they live in two places. */
    static void byKey(QueuedAsk whole, AskRouter way) {
        new PartitionedAsk(whole, way, true).goOn();
    }

    @Override
    public void decided(QueuedAsk part) {
        if (kept && !refunded) {
            repeated = part.group.repeated;
            conflict = part.group.conflict;
        }
        if (underWay.decrementAndGet() == 0) {
            goOn();
        }
    }

    /** Sends what is next; who is answered at once goes on here, so that a thousand of them need no deeper stack than one. */
    private void goOn() {
        List<AskPart> next = next();
        while (!next.isEmpty()) {
            underWay.set(next.size() + 1);
            next.forEach(this::send);
            if (underWay.decrementAndGet() > 0) {
                return;
            }
            next = next();
        }
        end();
    }

    private void send(AskPart part) {
        part.sentNanos = way.nanos();
        if (!standing.hasFailed()) { // all answered in time: it is we who are late
            whole.revive(part.sentNanos, way.patienceNanos() / 2);
        }
        part.pending.goesFor(whole, part.sentNanos);
        if (part.sentNanos - whole.deadlineNanos < 0) {
            way.send(part.pending);
        } else {
            way.fail(part.pending, StoreFailure.TIMEOUT);
        }
    }

    /** The parts that go now, when all that were sent are decided; none if that is all. */
    private List<AskPart> next() {
        sent.forEach(standing::decided);
        sent.forEach(part -> whole.goesOnAfter(part.pending));
        sent = List.of();
        if (!denied && standing.denies()) {
            denied = true;
            giveBack();
        }
        AskPart keeper = parts.keeper;
        if (!counted && !parts.counting.isEmpty()) {
            counted = true;
            sent = parts.counting;
        } else if (!denied && taken < parts.taking.size()) {
            int from = taken;
            taken = from == 0 ? 1 : parts.taking.size();
            sent = parts.taking.subList(from, taken);
        } else if (denied && !asked && taken < parts.taking.size()) {
            asked = true;
            List<AskPart> rest = parts.taking.subList(taken, parts.taking.size());
            rest.forEach(part -> part.pending.group.askOnly = true);
            return rest;
        } else if (keeper != null && !kept) {
            kept = true;
            keep(keeper.pending.group, keeper.counts);
            sent = List.of(keeper);
        } else if (!refunded) {
            refunded = true;
            boolean mayBeKnown = repeated || conflict || (keeper != null && keeper.hasFailed());
            parts.refunding.forEach(part -> part.pending.group.askOnly = mayBeKnown || (denied && !part.counts));
            return parts.refunding;
        }
        return sent;
    }

    private void keep(CheckGroup group, boolean counts) {
        group.askOnly = denied && !counts;
        // An answer that a failure policy has a part in is not kept.
        group.lookOnly = whole.group.lookOnly || denied || standing.hasFailed();
        group.quotaPassed = standing.quotaPassed();
    }

    private void end() {
        whole.group.repeated = repeated;
        whole.group.conflict = conflict;
        whole.group.allowed = !denied;
        if (repeated || conflict) {
            if (!denied) {
                giveBack();
            }
            parts.counting.forEach(this::giveBack);
        }
        CompletionTask.now(whole);
    }

    private void giveBack() {
        for (int i = 0; i < taken; i++) {
            AskPart each = parts.taking.get(i);
            if (each.pending.group.allowed) { // else it denied, and took nothing
                giveBack(each);
            }
        }
    }

    private void giveBack(AskPart part) {
        QueuedAsk back = part.giveBack(way);
        if (back.group.size() > 0) {
            way.giveBack(back);
        }
    }
}
