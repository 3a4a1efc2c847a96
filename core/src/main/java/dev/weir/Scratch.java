package dev.weir;

import dev.weir.algorithm.Meter;
import dev.weir.algorithm.Meters;
import dev.weir.model.Limit;
import dev.weir.store.Check;
import dev.weir.store.Checks;
import dev.weir.store.KeyHash;
import java.time.Duration;

/** What one thread fills again for every call. */
final class Scratch {
    private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);
    private static final Meter DENY = Meters.of(Limit.fixedWindow(0, Duration.ofSeconds(1)));

    final Checks checks = new Checks();
    private final KeyHash hash = new KeyHash();

    static Scratch ofThread() {
        return OF_THREAD.get();
    }

    /** Starts over with one check. */
    Check begin(MeteredLimit limit, String key, long hits) {
        hash.reset(limit.prefix0, limit.prefix1).add(key).end();
        return begin(limit, hits);
    }

    /** Starts over with one check. */
    Check begin(MeteredLimit limit, long key, long hits) {
        hash.reset(limit.prefix0, limit.prefix1).add(key).end();
        return begin(limit, hits);
    }

    /** Adds a check that is always over: as checks are taken all or none, the other is answered but not taken. */
    void addDenial() {
        add(DENY, 0, 0, 1);
    }

    private Check begin(MeteredLimit limit, long hits) {
        checks.clear();
        return add(limit.meter, hash.key0(), hash.key1(), hits);
    }

    private Check add(Meter meter, long key0, long key1, long hits) {
        Check check = checks.add();
        check.key0 = key0;
        check.key1 = key1;
        check.meter = meter;
        check.hits = hits;
        check.countsDenied = false;
        check.role = Check.Role.ENFORCE;
        return check;
    }
}
