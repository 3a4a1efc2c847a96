package dev.weir.internal.match;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.match.keyby.CounterKeyValues;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.match.keyby.CounterNameWriter;
import dev.weir.internal.match.keyby.EnvoyCounterKey;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.TakenPermits;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The rules and limits that match a request, in the order of its descriptors and, within a descriptor, of the rules. A
 * buffer of one thread, including the scratch memory of matching, so that matching allocates nothing once it has grown.
 */
public final class Matches {
    private Match[] matches = new Match[0];
    private int size;

    public final CounterKeyHash hash = new CounterKeyHash();
    public final CounterKeyValues parts = new CounterKeyValues();
    public final AttributeValues frame = new AttributeValues();
    public final BitSet replaced = new BitSet();
    /** Has a seed that every process shares, so that each process rolls a rule out to the same callers. */
    final CounterKeyHash rollout = new CounterKeyHash(0, 0);

    /** The descriptor that identifies the caller. */
    public int caller;

    public final TierOverride tier = new TierOverride();

    /** The form in which overrides that stand alone compare endpoints. */
    public EndpointForm endpointForm = EndpointForm.NORMAL;

    /** Writes the names of counters in shared stores; null if they are not needed. */
    public final @Nullable CounterNameWriter names;

    /**
     * Whether each descriptor is charged and reported by itself, as in Envoy's format, even if another one denies the
     * request.
     */
    public boolean apart;

    /** The state of concurrency limits before any check is decided; null if no rule limits concurrency. */
    public @Nullable TakenPermits taken;

    /** Whether each match notes the parts of its counter, so that {@link #counter} can name it. */
    public boolean noting;

    /** Creates a buffer without counter names. */
    public Matches() {
        this(null);
    }

    private Matches(@Nullable CounterNameWriter names) {
        this.names = names;
    }

    /** Creates a buffer that also has the names of counters in shared stores. */
    public static Matches named() {
        return new Matches(new CounterNameWriter());
    }

    public int size() {
        return size;
    }

    public Match get(int index) {
        return matches[index];
    }

    public void clear(boolean noting) {
        size = 0;
        tier.set(null);
        apart = false;
        taken = null;
        this.noting = noting;
    }

    /** Releases the strings of the last request, because the buffer may stay unused for long. */
    public void end() {
        parts.end();
        if (noting) {
            endNotes();
        }
    }

    private void endNotes() {
        noting = false;
        for (Match each : matches) {
            each.endNote();
        }
    }

    /** Whether the matched request {@linkplain Request#nameCounter asks} for the name of its counter. */
    public boolean isNoting() {
        return noting;
    }

    /** Returns the counter of {@code verdict} on the matched request; null if nothing was counted or noted. */
    public @Nullable CounterLabel counter(MutableVerdict verdict) {
        for (int i = 0; noting && i < size; i++) {
            Match each = matches[i];
            boolean same = each.rule == verdict.rule() && each.descriptor == verdict.descriptor();
            // A caller may have several overrides under one rule.
            if (same && each.isCounted() && (verdict.counter() == 0 || verdict.counter() == each.key0)) {
                return each.note().counter();
            }
        }
        return null;
    }

    public Match add() {
        if (size == matches.length) {
            int old = matches.length;
            matches = Arrays.copyOf(matches, Math.max(4, old * 2));
            for (int i = old; i < matches.length; i++) {
                matches[i] = new Match();
            }
        }
        return matches[size++];
    }

    /** Adds the limit that the request carries for {@code descriptor}. */
    public void addOverride(Request request, int descriptor, Limit limit, boolean countsDenied) {
        Match match = add().set(null, limit, descriptor, countsDenied);
        EnvoyCounterKey.parts(request, descriptor, parts);
        EnvoyCounterKey.hash(hash, request.domain(), limit, parts);
        match.key0 = hash.key0();
        match.key1 = hash.key1();
        if (names != null) {
            match.renamed();
            names.entries(match.name, limit, request.domain(), parts);
        }
        if (noting) {
            match.note().entries(request.domain(), limit, parts);
        }
    }

    /** Removes the match at {@code index}, and keeps the order of the others. */
    public void remove(int index) {
        Match removed = matches[index];
        System.arraycopy(matches, index + 1, matches, index, size - index - 1);
        matches[--size] = removed;
    }

    /** Keeps the matches of rules that pass {@code filter}. */
    public void retain(BiPredicate<String, Integer> filter) {
        for (int i = size - 1; i >= 0; i--) {
            Rule rule = matches[i].rule;
            if (rule == null || !filter.test(rule.label(), matches[i].descriptor)) {
                remove(i);
            }
        }
    }

    /** Sorts the matches from {@code from} on, all of rules, by rule; they consist of a few sorted runs. */
    public void sortByRule(int from) {
        for (int i = from + 1; i < size; i++) {
            Match match = matches[i];
            int at = i;
            for (; at > from && ordinal(matches[at - 1]) > ordinal(match); at--) {
                matches[at] = matches[at - 1];
            }
            matches[at] = match;
        }
    }

    /**
     * Merges the matches from {@code from} on, sorted by descriptor, so that each follows the others of its descriptor.
     */
    public void mergeByDescriptor(int from) {
        for (int i = from; i < size; i++) {
            Match match = matches[i];
            int at = i;
            for (; at > 0 && matches[at - 1].descriptor > match.descriptor; at--) {
                matches[at] = matches[at - 1];
            }
            matches[at] = match;
        }
    }

    private static int ordinal(Match match) {
        return match.rule == null ? -1 : match.rule.ordinal();
    }
}
