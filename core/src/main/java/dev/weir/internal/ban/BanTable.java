package dev.weir.internal.ban;

import dev.weir.Request;
import dev.weir.internal.model.Ban;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All entries in force, from every source. Immutable; a change swaps it whole. */
public final class BanTable {
    private final BanSet[] sets;

    /** Combines the entries of {@code sets}. */
    public BanTable(List<BanSet> sets) {
        this.sets = sets.stream().filter(each -> each.size() > 0).toArray(BanSet[]::new);
    }

    /** Whether there is no entry. */
    public boolean isEmpty() {
        return sets.length == 0;
    }

    /**
     * Returns the entry that decides about {@code request}: an exemption first, then a ban, a shadow ban, a watched
     * entry; null if there is none.
     *
     * @param automatic whether entries that rules made count
     */
    public @Nullable Ban find(Request request, long nowMicros, boolean automatic) {
        int descriptors = request.descriptors();
        int entries = descriptors == 0 ? 0 : request.end(descriptors - 1);
        Ban found = null;
        for (BanSet each : sets) {
            if (automatic || !each.automatic()) {
                found = each.find(request, entries, nowMicros, found);
            }
        }
        return found;
    }
}
