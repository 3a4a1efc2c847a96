package dev.weir.coalesce;

import dev.weir.algorithm.SlotMeter;
import dev.weir.store.Ask;
import dev.weir.store.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An ask whose checks do not fit one call, decided part by part: its counters live in different slots, or some of them count
 * a request that is denied already.
 *
 * <h2>All or nothing</h2>
 *
 * Parts that count when denied take in any case, so they go first and all at once. The others take one after the other; when one
 * denies, those before it are given back, and those after it are asked without taking, so that every check has its outcome. So what
 * is admitted never exceeds a limit; what is taken and given back is missing to others for as long as that takes. A part that fails
 * stops nobody: what its failure means is for the asker to say.
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
    /** A give-back has time: it is sent once, and nobody waits for it. */
    private static final long GIVE_BACK_NANOS = 1_000_000_000L;

    private final Ask ask;
    private final Way way;
    private final List<Part> counting = new ArrayList<>(2);
    private final List<Part> taking = new ArrayList<>(4);
    private @Nullable Part keeper;
    private final AtomicInteger underWay = new AtomicInteger();
    private int taken;
    private boolean begun;
    private boolean denied;
    private boolean asked;
    /** The keeper was sent, and with it everything. */
    private boolean kept;

    private boolean repeated;
    private boolean conflict;

    SplitAsk(Ask ask, Way way) {
        this.ask = ask;
        this.way = way;
        this.denied = ask.denied;
    }

    /** Adds a check to the part of {@code slot}. */
    void add(Check check, int slot) {
        boolean counts = check.countsDenied && check.meter instanceof SlotMeter;
        List<Part> parts = counts ? counting : taking;
        Part part = null;
        for (Part each : parts) {
            part = each.pending.slot == slot ? each : part;
        }
        if (part == null) {
            part = new Part(Pending.of(this, ask.deadlineNanos), counts);
            part.pending.slot = slot;
            parts.add(part);
        }
        part.add(check);
    }

    void start() {
        if (ask.idempotency != null) {
            keeper = takeOut(ask.checks.get(ask.checks.size() - 1));
            keeper.pending.group.idempotency = ask.idempotency;
        }
        // Quotas deny only together, so those of one part cannot deny while others may have passed elsewhere.
        boolean quotaPassed = ask.checks.quotaPassed || quotasApart();
        for (Part each : counting) {
            each.pending.group.quotaPassed = quotaPassed;
        }
        for (Part each : taking) {
            each.pending.group.quotaPassed = quotaPassed;
        }
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

    private void goOn() {
        if (!begun) {
            begun = true;
            if (!counting.isEmpty()) {
                send(counting, 0);
                return;
            }
        }
        if (!denied && denies()) {
            denied = true;
            giveBack();
        }
        if (!denied && taken < taking.size()) {
            underWay.set(1);
            way.send(taking.get(taken++).pending);
        } else if (denied && !asked && taken < taking.size()) {
            asked = true;
            for (int i = taken; i < taking.size(); i++) {
                taking.get(i).pending.group.askOnly = true;
            }
            send(taking, taken);
        } else if (keeper != null && !kept) {
            kept = true;
            keep(keeper);
        } else {
            end();
        }
    }

    private void keep(Part last) {
        Group group = last.pending.group;
        group.askOnly = denied && !last.counts;
        // An answer that a failure policy has a part in is not kept.
        group.lookOnly = ask.lookOnly || denied || anyFailed();
        group.quotaPassed = ask.checks.quotaPassed || anyQuotaPassed();
        underWay.set(1);
        way.send(last.pending);
    }

    private void end() {
        Pending whole = Pending.of(ask);
        whole.group.repeated = repeated;
        whole.group.conflict = conflict;
        if (repeated || conflict) {
            if (!denied) {
                giveBack();
            }
            counting.forEach(this::giveBack);
        }
        Delivery.now(whole);
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

    private void send(List<Part> parts, int from) {
        int size = parts.size();
        underWay.set(size - from);
        for (int i = from; i < size; i++) {
            way.send(parts.get(i).pending); // the last may be answered before this returns, and all of this be over
        }
    }

    /** Whether what is decided so far denies the request; quotas only say so once all of them are. */
    private boolean denies() {
        List<Part> decided = decided();
        if (decided.stream().anyMatch(part -> part.isOver(Check.Role.ENFORCE))) {
            return true;
        }
        return decided.stream().anyMatch(part -> part.isOver(Check.Role.QUOTA))
                && !ask.checks.quotaPassed
                && !anyQuotaPassed()
                && !anyQuotaOpen();
    }

    private boolean anyQuotaPassed() {
        return decided().stream().anyMatch(Part::quotaPassed);
    }

    private boolean anyQuotaOpen() {
        return taking.subList(taken, taking.size()).stream().anyMatch(Part::hasQuota)
                || (keeper != null && !kept && keeper.hasQuota());
    }

    private boolean anyFailed() {
        return decided().stream().anyMatch(Part::hasFailed);
    }

    /** What was sent by now, all of which is decided when this looks; what is only asked for came too late to matter. */
    private List<Part> decided() {
        List<Part> decided = new ArrayList<>(counting);
        decided.addAll(taking.subList(0, taken));
        if (keeper != null && kept) {
            decided.add(keeper);
        }
        return decided;
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
        Pending back = part.giveBack(way.nanos() + GIVE_BACK_NANOS);
        if (back.group.size() > 0) {
            way.giveBack(back);
        }
    }

    private boolean quotasApart() {
        long parts = counting.stream().filter(Part::hasQuota).count()
                + taking.stream().filter(Part::hasQuota).count()
                + (keeper != null && keeper.hasQuota() ? 1 : 0);
        return parts > 1;
    }
}
