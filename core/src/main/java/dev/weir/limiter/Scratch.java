package dev.weir.limiter;

import dev.weir.match.Matches;
import dev.weir.store.Checks;

/** What one thread fills again for every request it decides. */
final class Scratch {
    private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

    final Matches matches = new Matches();
    final Checks checks = new Checks();

    static Scratch ofThread() {
        return OF_THREAD.get();
    }
}
