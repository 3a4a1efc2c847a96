package dev.weir.limiter;

import dev.weir.match.Matches;
import dev.weir.store.Checks;

/** What one thread fills again for every request it decides; an observer that decides one in the middle of another gets its own. */
final class Scratch {
    private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

    final Matches matches = new Matches();
    final Checks checks = new Checks();

    private boolean taken;

    /** To be given back by {@link #release}. */
    static Scratch take() {
        Scratch scratch = OF_THREAD.get();
        if (scratch.taken) {
            scratch = new Scratch();
        }
        scratch.taken = true;
        return scratch;
    }

    void release() {
        taken = false;
    }
}
