package dev.weir.internal.limiter;

import dev.weir.internal.match.Matches;
import dev.weir.internal.store.Checks;

/** What one thread fills again for every request it decides; an observer that decides one in the middle of another gets its own. */
final class DecisionScratch {
    private static final ThreadLocal<DecisionScratch> OF_THREAD = ThreadLocal.withInitial(DecisionScratch::new);

    final Matches matches = new Matches();
    final Checks checks = new Checks();

    private boolean taken;

    /** To be given back by {@link #release}. */
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
