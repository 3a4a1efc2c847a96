package dev.weir.simulation.store;

import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.algorithm.SlotMeter;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Idempotency;
import dev.weir.simulation.clock.Timeline;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Simulates the Redis script: decides the checks of one request, all or nothing, and then grants leases. It uses the
 * real meters.
 */
final class SimulatedScript {
    /** How long the script keeps a grant. */
    private static final long KEPT_NANOS = 10_000_000_000L;

    private final SimulatedCounters counters;
    private final Timeline timeline;
    private final HitObserver takings;
    private final Outcome ahead = new Outcome();
    private final Map<Long, Grant> grants = new HashMap<>();
    private final Map<SettledKey, KeptKey> keys = new HashMap<>();

    /** An idempotency key in one hash slot. */
    private record SettledKey(int slot, ByteBuffer caller, ByteBuffer key) {}

    /** When a key was kept, and until when by the store's clock. */
    private record KeptKey(long moment, long untilMicros) {}

    /** The last grant of a lessee. */
    private record Grant(long number, long hits, long window, long moment) {}

    SimulatedScript(SimulatedCounters counters, Timeline timeline, HitObserver takings) {
        this.counters = counters;
        this.timeline = timeline;
        this.takings = takings;
    }

    /** Decides {@code group}, of {@code slot}, for {@code node} at {@code now} by the store's clock. */
    void decide(int node, CheckGroup group, int slot, long now) {
        Idempotency idempotency = group.idempotency;
        if (idempotency == null) {
            decide(node, group, now);
            return;
        }
        SettledKey key =
                new SettledKey(slot, ByteBuffer.wrap(idempotency.caller()), ByteBuffer.wrap(idempotency.key()));
        KeptKey kept = keys.get(key);
        group.repeated = kept != null && now < kept.untilMicros;
        if (!group.repeated) {
            decide(node, group, now);
            if (group.allowed && !group.lookOnly) {
                keys.put(key, new KeptKey(timeline.now(), now + idempotency.keepMicros()));
            }
        }
    }

    private void decide(int node, CheckGroup group, long now) {
        if (group.size() == 1 && !group.askOnly) {
            take(node, group.get(0), group.get(0).hits, now);
            group.allowed = group.passes();
        } else {
            group.allowed = decideTogether(node, group, now);
        }
        for (int i = 0; i < group.size(); i++) {
            Check check = group.get(i);
            check.granted = 0;
            if (check.again && check.lessee != 0) {
                check.granted = recalled(check, now);
            } else if (group.allowed && group.leases(i) && check.outcome.allowed) {
                grant(node, check, now);
            }
        }
    }

    private boolean decideTogether(int node, CheckGroup group, long now) {
        int size = group.size();
        Before[] before = new Before[size];
        for (int i = 0; i < size; i++) {
            Check check = group.get(i);
            int id = counters.id(check.key0, check.key1);
            before[i] = new Before(id, counters.state0(id), counters.state1(id), counters.block(id));
            apply(check, check.hits, check.outcome, now);
        }
        if (!group.askOnly && group.passes()) {
            for (int i = 0; i < size; i++) {
                Check check = group.get(i);
                boolean takes = check.outcome.allowed || check.countsDenied;
                if (check.hits != 0 && !check.windowOver && takes) {
                    takings.took(node, check, check.hits, check.outcome, false);
                }
            }
            return true;
        }
        for (int i = size - 1; i >= 0; i--) {
            before[i].restore(group.get(i));
        }
        for (int i = 0; i < size; i++) {
            Check check = group.get(i);
            boolean allowed = check.outcome.allowed;
            long retryAfter = check.outcome.retryAfter;
            take(node, check, check.countsDenied && !group.askOnly ? check.hits : 0, now);
            check.outcome.allowed = allowed;
            check.outcome.retryAfter = retryAfter;
        }
        return false;
    }

    /** The state of a counter before a request that takes all or nothing. */
    private final class Before {
        private final int id;
        private final long state0;
        private final long state1;
        private final long[] block;

        Before(int id, long state0, long state1, long[] block) {
            this.id = id;
            this.state0 = state0;
            this.state1 = state1;
            this.block = block;
        }

        void restore(Check check) {
            if (check.meter instanceof SlotMeter) {
                counters.write(id, state0, state1, timeline.now());
            } else {
                counters.writeBlock(id, block, timeline.now());
            }
        }
    }

    private void take(int node, Check check, long hits, long now) {
        if (apply(check, hits, check.outcome, now)) {
            takings.took(node, check, hits, check.outcome, false);
        }
    }

    private void grant(int node, Check check, long now) {
        check.granted = Math.min(check.ahead, Math.max(0, check.outcome.remaining));
        if (check.granted > 0) {
            apply(check, check.granted, ahead, now);
            takings.took(node, check, check.granted, ahead, true);
            check.outcome.standAs(ahead);
            if (check.lessee != 0) {
                long window = Objects.requireNonNull(check.meter).windowOf(check.outcome);
                grants.put(check.lessee, new Grant(check.grant, check.granted, window, timeline.now()));
            }
        }
    }

    /** The hits of a grant whose answer was lost; 0 if it never was, or if its window is over. */
    private long recalled(Check check, long now) {
        Grant kept = grants.get(check.lessee);
        if (kept == null || kept.number != check.grant || timeline.now() - kept.moment >= KEPT_NANOS) {
            return 0;
        }
        long window = Objects.requireNonNull(check.meter).limit().windowMicros();
        boolean counts = kept.window == 0 || (kept.window == check.outcome.state0 && kept.window + window > now);
        return counts ? kept.hits : 0;
    }

    /** Forgets the grants and keys that were kept after {@code moment}. */
    void rollBack(long moment) {
        keys.values().removeIf(each -> each.moment > moment);
        grants.values().removeIf(each -> each.moment > moment);
    }

    /** Evaluates the check, and takes the hits if they fit or count anyway; returns whether it took them. */
    private boolean apply(Check check, long hits, Outcome out, long now) {
        Meter meter = Objects.requireNonNull(check.meter, "meter");
        int id = counters.id(check.key0, check.key1);
        if (meter instanceof SlotMeter slots) {
            long state0 = counters.state0(id);
            long state1 = counters.state1(id);
            long applied = hits < 0 ? check.hitsAt(state0) : hits;
            if (check.owed) {
                slots.charge(state0, state1, now, applied, out);
            } else {
                slots.apply(state0, state1, now, applied, check.countsDenied, out);
            }
            if (check.window != 0 && check.window + meter.limit().windowMicros() <= now) {
                check.windowOver =
                        true; // the state is that of a window which is over: what is given back changes nothing
            }
            boolean takes = applied != 0 && !(hits < 0 && check.windowOver) && (out.allowed || check.countsDenied);
            if (out.state0 != state0 || out.state1 != state1) {
                counters.write(id, out.state0, out.state1, timeline.now());
            }
            return takes;
        }
        BlockMeter blocks = (BlockMeter) meter;
        long[] words = counters.block(id).clone();
        blocks.ask(words, 0, words.length, now, hits, out);
        if (!out.allowed || hits == 0) {
            return false;
        }
        int needed = blocks.wordsToTake(words, 0, words.length, now, hits);
        long[] after = Arrays.copyOf(words, Math.max(words.length, needed));
        blocks.take(after, 0, after.length, now, hits);
        counters.writeBlock(id, after, timeline.now());
        return true;
    }
}
