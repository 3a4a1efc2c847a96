package dev.weir.coalesce;

import dev.weir.algorithm.SlotMeter;
import dev.weir.store.Check;
import dev.weir.store.StoreFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An ask whose checks do not fit one call, decided part by part: its counters live in different slots, or in one that moves, or some
 * of them count a request that is denied already.
 *
 * <h2>All or nothing</h2>
 *
 * Parts that count when denied take in any case, so they go first and all at once. The others take one after the other; when one
 * denies, those before it are given back, and those after it are asked without taking, so that every check has its outcome. So what
 * is admitted never exceeds a limit; what is taken and given back is missing to others for as long as that takes. A part that fails
 * stops nobody: what its failure means is for the asker to say. After the deadline nothing is sent any more, and fails.
 *
 * <h2>Idempotency</h2>
 *
 * The part of the last check goes last of all, when the others are decided, and keeps the key: so what is kept was admitted as a whole.
 * It looks the key up also if others denied; if the request was admitted before, what the others took or counted this time goes back.
 *
 * <h2>Concurrency</h2>
 *
 * Parts are decided in the loops of their lanes. The last of those under way goes on; nothing else touches the state.
 */
final class SplitAsk implements Parts {
    private final Pending whole;
    private final Way way;
    private final boolean byKey;
    private final List<Part> counting;
    private final List<Part> taking;
    private final @Nullable Part keeper;
    /** Parts that were sent and not decided yet; and one more as long as not all of them are sent. */
    private final AtomicInteger underWay = new AtomicInteger();
    /** What was sent last and may deny the request; what is only asked comes too late for that. */
    private List<Part> sent = List.of();

    private int taken;
    private boolean begun;
    private boolean denied;
    private boolean asked;
    /** The keeper was sent, and with it everything. */
    private boolean kept;

    private boolean over;
    private boolean quotaOver;
    private boolean quotaPassed;
    private boolean failed;
    /** Parts with quotas that may yet pass. */
    private int openQuotas;

    private boolean repeated;
    private boolean conflict;

    private SplitAsk(Pending whole, Way way, boolean byKey) {
        this.whole = whole;
        this.way = way;
        this.byKey = byKey;
        this.denied = whole.group.askOnly;
        this.quotaPassed = whole.group.quotaPassed;
        Map<Long, Part> countingAt = new LinkedHashMap<>();
        Map<Long, Part> takingAt = new LinkedHashMap<>();
        for (int i = 0; i < whole.group.size(); i++) {
            Check check = whole.group.get(i);
            boolean counts = check.countsDenied && check.meter instanceof SlotMeter;
            (counts ? countingAt : takingAt)
                    .computeIfAbsent(byKey ? check.key0 : (long) way.slot(check), key -> part(check, counts))
                    .add(check);
        }
        this.counting = new ArrayList<>(countingAt.values());
        this.taking = new ArrayList<>(takingAt.values());
        // Quotas deny only together, so those of one part cannot deny while others may have passed elsewhere.
        boolean passedOrApart = quotaPassed || quotas(counting) + quotas(taking) > 1;
        for (List<Part> parts : List.of(counting, taking)) {
            for (Part each : parts) {
                each.pending.group.quotaPassed = passedOrApart;
            }
        }
        openQuotas = quotas(taking);
        keeper = whole.group.idempotency == null ? null : keeper(whole.group);
    }

    /** Decides {@code whole} in parts that each live in a slot. */
    static SplitAsk bySlot(Pending whole, Way way) {
        return new SplitAsk(whole, way, false);
    }

    /** Decides {@code whole}, which lives in one slot, with each part asking a single key: while a slot moves, its keys live in two places. */
    static SplitAsk byKey(Pending whole, Way way) {
        return new SplitAsk(whole, way, true);
    }

    private Part part(Check check, boolean counts) {
        Part part = new Part(Pending.of(this, whole.deadlineNanos, way), counts);
        part.pending.slot = way.slot(check);
        part.pending.alone = byKey;
        return part;
    }

    /** What goes last: the part of the last check, or nothing but the idempotency key. */
    private Part keeper(Group group) {
        Check last = group.get(group.size() - 1);
        Part part = byKey ? part(last, true) : takeOut(last);
        part.pending.group.idempotency = group.idempotency;
        part.pending.group.about = last.name.subject();
        openQuotas += part.counts && part.hasQuota() ? 1 : 0;
        return part;
    }

    private static int quotas(List<Part> parts) {
        int quotas = 0;
        for (Part each : parts) {
            quotas += each.hasQuota() ? 1 : 0;
        }
        return quotas;
    }

    /** Takes the part that {@code check} is in from those that go before. */
    private Part takeOut(Check check) {
        for (List<Part> parts : List.of(counting, taking)) {
            for (Part each : parts) {
                if (each.checks.contains(check)) {
                    parts.remove(each);
                    return each;
                }
            }
        }
        throw new IllegalStateException("a check that was not added");
    }

    void start() {
        goOn();
    }

    @Override
    public void decided(Pending part) {
        if (kept) {
            repeated = part.group.repeated;
            conflict = part.group.conflict;
        }
        if (underWay.decrementAndGet() == 0) {
            goOn();
        }
    }

    /** Sends what is next; who is answered at once goes on here, so that a thousand of them need no deeper stack than one. */
    private void goOn() {
        List<Part> next = next();
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

    private void send(Part part) {
        part.sentNanos = way.nanos();
        if (part.sentNanos - whole.deadlineNanos < 0) {
            way.send(part.pending);
        } else {
            way.fail(part.pending, StoreFailure.TIMEOUT);
        }
    }

    /** The parts that go now, when all that were sent are decided; none if that is all. */
    private List<Part> next() {
        sent.forEach(this::look);
        sent = List.of();
        if (!begun) {
            begun = true;
            sent = counting;
        }
        if (sent.isEmpty() && !denied && denies()) {
            denied = true;
            giveBack();
        }
        if (!sent.isEmpty()) {
            return sent;
        } else if (!denied && taken < taking.size()) {
            Part part = taking.get(taken++);
            openQuotas -= part.hasQuota() ? 1 : 0;
            sent = List.of(part);
            return sent;
        } else if (denied && !asked && taken < taking.size()) {
            asked = true;
            List<Part> rest = taking.subList(taken, taking.size());
            rest.forEach(part -> part.pending.group.askOnly = true);
            return rest;
        } else if (keeper != null && !kept) {
            kept = true;
            openQuotas = 0;
            keep(keeper.pending.group, keeper.counts);
            sent = List.of(keeper);
            return sent;
        }
        return List.of();
    }

    private void look(Part part) {
        over |= part.isOver(Check.Role.ENFORCE);
        quotaOver |= part.isOver(Check.Role.QUOTA);
        quotaPassed |= part.quotaPassed();
        failed |= part.hasFailed();
    }

    /** Whether what is decided so far denies the request; quotas only say so once all of them are. */
    private boolean denies() {
        return over || (quotaOver && !quotaPassed && openQuotas == 0);
    }

    private void keep(Group last, boolean counts) {
        last.askOnly = denied && !counts;
        // An answer that a failure policy has a part in is not kept.
        last.lookOnly = whole.group.lookOnly || denied || failed;
        last.quotaPassed = quotaPassed;
    }

    private void end() {
        whole.group.repeated = repeated;
        whole.group.conflict = conflict;
        whole.group.allowed = !denied;
        if (repeated || conflict) {
            if (!denied) {
                giveBack();
            }
            counting.forEach(this::giveBack);
        }
        Delivery.now(whole);
    }

    private void giveBack() {
        for (int i = 0; i < taken; i++) {
            Part each = taking.get(i);
            if (each.pending.group.allowed) { // else it denied, and took nothing
                giveBack(each);
            }
        }
    }

    private void giveBack(Part part) {
        Pending back = part.giveBack(way);
        if (back.group.size() > 0) {
            way.giveBack(back);
        }
    }
}
