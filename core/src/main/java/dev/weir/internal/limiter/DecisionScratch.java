package dev.weir.internal.limiter;

import dev.weir.internal.match.Matches;
import dev.weir.internal.store.Checks;

/**
 * The buffers that one thread reuses for every request; an observer that decides a request inside another decision gets
 * fresh ones.
 */
final class DecisionScratch {
    private static final ThreadLocal<DecisionScratch> OF_THREAD = ThreadLocal.withInitial(DecisionScratch::new);

    final Matches matches = new Matches();
    final Checks checks = new Checks();

    private boolean taken;

    /** Takes the buffers; return them with {@link #release}. */
    static DecisionScratch take() {
        DecisionScratch scratch = OF_THREAD.get();
        if (scratch.taken) {
            scratch = new DecisionScratch();
        }
        scratch.taken = true;
        return scratch;
    }

    void release() {
        if (matches.isNoting()) {
            matches.end();
        }
        taken = false;
    }
}
