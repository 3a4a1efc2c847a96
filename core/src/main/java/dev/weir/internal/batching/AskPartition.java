package dev.weir.internal.batching;

import dev.weir.internal.algorithm.SlotMeter;
import dev.weir.internal.store.Check;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parts of an ask that is decided apart. */
final class AskPartition {
    /** Those that count when denied. */
    final List<AskPart> counting;
    /** Those that take if nothing denies the request, the tightest first. */
    final List<AskPart> taking;
    /** Those that give back, and so deny nothing. */
    final List<AskPart> refunding;
    /** Who keeps the idempotency key, and is in none of these; null if there is no key. */
    final @Nullable AskPart keeper;
    /** How many of those that may deny have quotas. */
    final int quotas;
    /** Whether a quota that cannot deny is among the others. */
    final boolean quotaPassed;

    private final QueuedAsk whole;
    private final AskPartListener owner;
    private final AskRouter way;
    private final boolean byKey;

    /** Divides {@code whole} for {@code owner} to decide: one part for each slot or, if so, for each key. */
    AskPartition(QueuedAsk whole, AskPartListener owner, AskRouter way, boolean byKey) {
        this.whole = whole;
        this.owner = owner;
        this.way = way;
        this.byKey = byKey;
        this.counting = new ArrayList<>();
        this.taking = new ArrayList<>();
        this.refunding = new ArrayList<>();
        divide();
        // Quotas deny only together, so those of one part cannot deny while others may have passed elsewhere.
        this.quotas = quotas(counting) + quotas(taking);
        this.quotaPassed = whole.group.quotaPassed || quotas(refunding) > 0;
        for (List<AskPart> parts : List.of(counting, taking)) {
            for (AskPart each : parts) {
                each.pending.group.quotaPassed = quotaPassed || quotas > 1;
            }
        }
        this.keeper = whole.group.idempotency == null ? null : keeper(whole.group);
        taking.sort(Comparator.comparingLong(AskPart::capacity));
    }

    /** What shares a part: {@code where} it lives, and what becomes of it. */
    private record Place(long where, boolean counts, boolean refunds) {}

    private void divide() {
        Map<Place, AskPart> parts = new LinkedHashMap<>();
        for (int i = 0; i < whole.group.size(); i++) {
            Check check = whole.group.get(i);
            boolean counts = check.countsDenied && check.meter instanceof SlotMeter;
            long where = byKey ? check.key0 : way.slot(check);
            parts.computeIfAbsent(new Place(where, counts, check.hits < 0), place -> part(check, counts))
                    .add(check);
        }
        parts.forEach((place, part) -> (place.refunds ? refunding : place.counts ? counting : taking).add(part));
    }

    private AskPart part(Check check, boolean counts) {
        AskPart part = new AskPart(QueuedAsk.of(owner, whole.deadlineNanos, way), counts);
        part.pending.slot = way.slot(check);
        part.pending.alone = byKey;
        return part;
    }

    /** The part of the last check or, where each key goes by itself, nothing but the idempotency key, which is looked up in any case. */
    private AskPart keeper(CheckGroup group) {
        Check last = group.get(group.size() - 1);
        AskPart part = byKey ? part(last, true) : takeOut(last);
        part.pending.group.idempotency = group.idempotency;
        part.pending.group.about = last.name.subject();
        return part;
    }

    /** Takes the part that {@code check} is in from those that go before. */
    private AskPart takeOut(Check check) {
        for (List<AskPart> parts : List.of(counting, taking, refunding)) {
            for (AskPart each : parts) {
                if (each.checks.contains(check)) {
                    parts.remove(each);
                    return each;
                }
            }
        }
        throw new IllegalStateException("a check that was not added");
    }

    private static int quotas(List<AskPart> parts) {
        int quotas = 0;
        for (AskPart each : parts) {
            quotas += each.hasQuota() ? 1 : 0;
        }
        return quotas;
    }
}
