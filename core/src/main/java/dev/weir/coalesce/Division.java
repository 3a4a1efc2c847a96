package dev.weir.coalesce;

import dev.weir.algorithm.SlotMeter;
import dev.weir.store.Check;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parts of an ask that is decided apart, in the order of their checks. */
final class Division {
    /** Those that count when denied. */
    final List<Part> counting;
    /** Those that take if nothing denies the request. */
    final List<Part> taking;
    /** Who keeps the idempotency key, and is in none of these; null if there is no key. */
    final @Nullable Part keeper;
    /** How many of them have quotas. */
    final int quotas;

    private final Pending whole;
    private final Parts owner;
    private final Way way;
    private final boolean byKey;

    /** Divides {@code whole} for {@code owner} to decide: one part for each slot or, if so, for each key. */
    Division(Pending whole, Parts owner, Way way, boolean byKey) {
        this.whole = whole;
        this.owner = owner;
        this.way = way;
        this.byKey = byKey;
        Map<Long, Part> countingAt = new LinkedHashMap<>();
        Map<Long, Part> takingAt = new LinkedHashMap<>();
        for (int i = 0; i < whole.group.size(); i++) {
            Check check = whole.group.get(i);
            boolean counts = check.countsDenied && check.meter instanceof SlotMeter;
            (counts ? countingAt : takingAt)
                    .computeIfAbsent(byKey ? check.key0 : (long) way.slot(check), place -> part(check, counts))
                    .add(check);
        }
        this.counting = new ArrayList<>(countingAt.values());
        this.taking = new ArrayList<>(takingAt.values());
        // Quotas deny only together, so those of one part cannot deny while others may have passed elsewhere.
        this.quotas = quotas(counting) + quotas(taking);
        boolean quotaPassed = whole.group.quotaPassed || quotas > 1;
        for (List<Part> parts : List.of(counting, taking)) {
            for (Part each : parts) {
                each.pending.group.quotaPassed = quotaPassed;
            }
        }
        this.keeper = whole.group.idempotency == null ? null : keeper(whole.group);
    }

    private Part part(Check check, boolean counts) {
        Part part = new Part(Pending.of(owner, whole.deadlineNanos, way), counts);
        part.pending.slot = way.slot(check);
        part.pending.alone = byKey;
        return part;
    }

    /** The part of the last check or, where each key goes by itself, nothing but the idempotency key, which is looked up in any case. */
    private Part keeper(Group group) {
        Check last = group.get(group.size() - 1);
        Part part = byKey ? part(last, true) : takeOut(last);
        part.pending.group.idempotency = group.idempotency;
        part.pending.group.about = last.name.subject();
        return part;
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

    private static int quotas(List<Part> parts) {
        int quotas = 0;
        for (Part each : parts) {
            quotas += each.hasQuota() ? 1 : 0;
        }
        return quotas;
    }
}
