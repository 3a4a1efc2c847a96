package dev.weir.internal.batching;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An ask that a test makes, and that counts how often it was answered. */
class RecordingAsk extends Ask {
    int answers;

    /** Adds a check on the counter {@code key}. */
    Check on(long key, long hits) {
        Check check = checks.add();
        check.key0 = key;
        check.key1 = 0;
        check.meter = Meters.of(Limit.of(Algorithm.TOKEN_BUCKET, 1, Duration.ofDays(1)));
        check.hits = hits;
        check.countsDenied = false;
        check.role = Check.Role.ENFORCE;
        return check;
    }

    @Override
    public void answered() {
        answers++;
    }

    boolean allowed() {
        return answers == 1 && failure() == null && checks.allowed();
    }

    /** Why the first check that failed did. */
    @Nullable
    StoreFailure failure() {
        for (int i = 0; i < checks.size(); i++) {
            StoreFailure failure = checks.get(i).failure;
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }
}
