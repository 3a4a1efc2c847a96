package dev.weir.control.decisions;

import dev.weir.Request;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Selects one caller in so many, with all of its requests: its limits can then be replayed as they were. Every server
 * selects the same callers. Requests without a caller are selected one by one.
 */
final class CallerSampling {
    private final int of;
    private final long seed;
    private final Set<String> plain;

    CallerSampling(int of, @Nullable String secret, Set<String> plain) {
        this.of = of;
        this.seed = secret == null ? 0 : secret.hashCode();
        this.plain = plain;
    }

    /** Whether {@code request} belongs to the sample. */
    boolean takes(Request request, @Nullable RuleIndex rules) {
        int entry = caller(request, rules);
        return entry < 0
                ? ThreadLocalRandom.current().nextInt(of) == 0
                : Long.remainderUnsigned(mix(request.value(entry).hashCode() + (seed << 32)), of) == 0;
    }

    /** The index of the entry by which {@code request} was selected; negative if it has no caller. */
    int caller(Request request, @Nullable RuleIndex rules) {
        return rules == null ? -1 : RequestCaller.find(request, rules.countedBy(request.domain()), plain);
    }

    int of() {
        return of;
    }

    /** The finalizer of MurmurHash3: it spreads every bit over all others. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }
}
