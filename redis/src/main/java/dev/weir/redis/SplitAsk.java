package dev.weir.redis;

import dev.weir.algorithm.SlotMeter;
import dev.weir.store.Ask;
import dev.weir.store.Check;
import dev.weir.store.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An ask whose checks do not fit one script call, decided part by part: its counters live in different slots, or some of them count
 * a request that is denied already.
 *
 * <h2>All or nothing</h2>
 *
 * Parts that count when denied take in any case, so they go first and all at once. The others take one after the other; when one
 * denies, those before it are given back, and those after it are asked without taking, so that every check has its outcome. So what
 * is admitted never exceeds a limit; what is taken and given back is missing to others for as long as that takes. A part that fails
 * stops nobody: what its failure means is for the asker to say.
 *
 * <h2>Concurrency</h2>
 *
 * Parts are decided in the event loops of their nodes. The last of those under way goes on; nothing else touches the state.
 */
final class SplitAsk implements Parts {
    /** Where parts go. */
    interface Way {
        void send(Pending part);

        void giveBack(Pending taken);
    }

    /** A give-back has time: it is sent once, and nobody waits for it. */
    private static final long GIVE_BACK_NANOS = 1_000_000_000L;

    private static final Parts NOBODY = part -> {};

    private final Ask ask;
    private final Way way;
    private final List<Part> counting = new ArrayList<>(2);
    private final List<Part> taking = new ArrayList<>(4);
    private final AtomicInteger underWay = new AtomicInteger();
    private int taken;
    private boolean begun;
    private boolean denied;
    private boolean asked;

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
            part = new Part(Pending.of(this, ask.deadlineNanos));
            part.pending.slot = slot;
            parts.add(part);
        }
        part.checks.add(check);
        part.pending.group.add(check);
    }

    void start() {
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
        } else {
            Delivery.now(Pending.of(ask));
        }
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
        Checks checks = ask.checks;
        boolean quotaOver = false;
        boolean quotaOk = checks.quotaPassed || taken < taking.size();
        for (int part = 0; part < counting.size() + taken; part++) {
            Part each = part < counting.size() ? counting.get(part) : taking.get(part - counting.size());
            for (Check check : each.checks) {
                boolean over = check.failure == null && !check.outcome.allowed;
                if (check.role == Check.Role.QUOTA) {
                    quotaOver |= over;
                    quotaOk |= !over;
                } else if (check.role == Check.Role.ENFORCE && over) {
                    return true;
                }
            }
        }
        return quotaOver && !quotaOk;
    }

    private void giveBack() {
        for (int i = 0; i < taken; i++) {
            Part each = taking.get(i);
            if (!each.pending.group.allowed) {
                continue; // it denied, and took nothing
            }
            Pending back = Pending.of(NOBODY, System.nanoTime() + GIVE_BACK_NANOS);
            back.slot = each.pending.slot;
            for (Check check : each.checks) {
                // Of a check that failed nobody knows: what may have been taken stays taken.
                if (check.failure == null && check.outcome.allowed && check.hits > 0) {
                    Check negative = Pending.copy(check);
                    negative.hits = -check.hits;
                    back.group.add(negative);
                    check.outcome.remaining += check.hits; // as things stand
                }
            }
            if (back.group.size() > 0) {
                way.giveBack(back);
            }
        }
    }

    private boolean quotasApart() {
        return counting.stream().filter(Part::hasQuota).count()
                        + taking.stream().filter(Part::hasQuota).count()
                > 1;
    }

    /** The checks of one script call. They stay known here when what carries them has left its batch. */
    private static final class Part {
        final Pending pending;
        final List<Check> checks = new ArrayList<>(2);

        Part(Pending pending) {
            this.pending = pending;
        }

        boolean hasQuota() {
            return checks.stream().anyMatch(check -> check.role == Check.Role.QUOTA);
        }
    }
}
