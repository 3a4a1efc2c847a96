package dev.weir.server.rules;

import dev.weir.Limit;
import dev.weir.internal.algorithm.UsedHits;
import dev.weir.internal.model.RegionScope;
import dev.weir.internal.model.Rule;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Lets the slices of a rule that changes while servers run add up to its limit at any moment: a slice that shrinks does so
 * at once, and one that grows does so when hits that others took before no longer count. It is applied when rules are
 * compiled, so a decision costs the same with it or without.
 *
 * <p>A slice grows at the end of the window in which the change is {@value #LEAD_SECONDS} s old, by which time all servers
 * have heard of it; a bucket grows after one full refill from then.
 */
public final class SliceChanges implements UnaryOperator<Rule> {
    static final long LEAD_SECONDS = 10;

    private static final System.Logger LOG = System.getLogger(SliceChanges.class.getName());
    private static final long MICROS = 1_000_000;

    private final LongSupplier micros;
    private final Map<String, Slice> slices = new HashMap<>();

    /**
     * The slice of a rule that is in force.
     *
     * @param next the slices as they are written, which are in force from {@code growsAt} on; null if they are already
     */
    private record Slice(Rule inForce, @Nullable Rule next, long growsAt) {}

    /** Creates it with a wall clock in microseconds. */
    public SliceChanges(LongSupplier micros) {
        this.micros = micros;
    }

    /** Returns {@code rule} with the slice that is in force in this region. */
    @Override
    public synchronized Rule apply(Rule rule) {
        Limit whole = rule.scope().whole();
        if (whole == null || rule.scope().own() == null) {
            return rule;
        }
        String key = rule.domain() + "\n" + rule.id();
        Slice before = slices.get(key);
        if (before == null || !grows(before.inForce.scope(), rule.scope(), whole)) {
            slices.put(key, new Slice(rule, null, 0));
            return rule;
        }
        Rule next = before.next;
        boolean known =
                next != null && next.scope().slices().equals(rule.scope().slices());
        long now = micros.getAsLong();
        long growsAt = known ? before.growsAt : UsedHits.end(whole, now + LEAD_SECONDS * MICROS);
        if (now >= growsAt) {
            slices.put(key, new Slice(rule, null, 0));
            return rule;
        }
        if (!known) {
            LOG.log(
                    Level.INFO,
                    rule + ": the slice of region " + rule.scope().own() + " grows at "
                            + Instant.ofEpochMilli(growsAt / 1_000));
        }
        slices.put(key, new Slice(before.inForce, rule, growsAt));
        return rule.slicedAs(before.inForce);
    }

    private static boolean grows(RegionScope before, RegionScope next, Limit whole) {
        Limit had = before.partOf(whole);
        Limit gets = next.partOf(whole);
        return gets.requests() > had.requests() || gets.burst() > had.burst() || gets.credit() > had.credit();
    }

    /** Whether a slice may grow now, so that rules are to be compiled again. */
    synchronized boolean isDue() {
        long now = micros.getAsLong();
        return slices.values().stream().anyMatch(each -> each.next != null && now >= each.growsAt);
    }
}
