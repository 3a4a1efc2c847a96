package dev.weir.redis.internal.script;

import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Idempotency;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The program of a batch, entry by entry, in the format that the script's head comment describes. Counters and meters
 * are numbered in the order of the tables; their positions are known only when the program is written.
 *
 * <h2>Runs</h2>
 *
 * Requests with the same single check share one entry with a count, as long as no other check of that counter comes in
 * between. So the order of arrival is kept per counter, and no other order matters.
 */
final class BatchProgram {
    static final long MAX_HITS = (1L << 53) - 1;
    private static final long QUOTA_PASSED = 1;
    private static final long ASK_ONLY = 2;
    private static final long ONCE = 4;
    private static final long LEASE = Long.MIN_VALUE;
    /** Stands for {@code -checks} if there are none. */
    private static final long NO_CHECKS = Long.MIN_VALUE + 1;

    private static final long KEPT_LEASE = Long.MIN_VALUE + 2;
    private static final int GRANT_BYTES = 40;

    private static final int NO_RUN = -1;

    /** A larger number in the place of a role tells the window of a give-back. */
    private static final int LAST_ROLE = 2;

    private final CounterTable counters;
    private final MeterTable meters = new MeterTable();
    private final MessagePackWriter writer = new MessagePackWriter();

    /**
     * Each entry is {@code counter, meter, hits, times} or {@code -checks, flags, (counter, meter, hits, role)...}. A
     * give-back tells its window in the place of {@code times} or {@code role}.
     * After it, each check that leases hits has {@code LEASE, counter, meter, hits}, or {@code KEPT_LEASE, counter,
     * meter, hits, number of its grant} with 0 hits to ask for that grant again.
     */
    private long[] entries = new long[256];

    private int size;
    /** For each counter, the entry that another check equal to its last one may join. */
    private int[] openRun = new int[64];

    private boolean hasGroups;
    /** The groups with an idempotency key, in order. */
    private final List<CheckGroup> idempotent = new ArrayList<>();

    /** The keys under which grants are kept, in the order of their entries. */
    private final List<byte[]> grants = new ArrayList<>();

    /** How many grants are asked for again. */
    private int recalls;

    BatchProgram(CounterTable counters) {
        this.counters = counters;
    }

    /** Notes that a counter was added to the table. */
    void added(int counter) {
        if (counter >= openRun.length) {
            openRun = Arrays.copyOf(openRun, openRun.length * 2);
        }
        openRun[counter] = NO_RUN;
    }

    /** Adds the only check of a request as the start of a run. */
    void startRun(Check check, int counter) {
        openRun[counter] = size;
        write(counter, meters.position(check, check.countsDenied), hits(check), 1 + check.window);
    }

    /** Adds a check that {@linkplain #joinsRun joins} the run of {@code counter}. */
    void joinRun(int counter) {
        entries[openRun[counter] + 3]++;
    }

    /** Returns whether the only check of a request equals those in the run of {@code counter}. */
    boolean joinsRun(Check check, int counter) {
        int run = check.ahead > 0 || check.owed ? NO_RUN : openRun[counter];
        return run != NO_RUN
                && hits(check) >= 0
                && entries[run + 2] == hits(check)
                && entries[run + 1] == meters.position(check, check.countsDenied);
    }

    /** Adds a request whose checks follow; they are charged all or none. */
    void addGroup(CheckGroup group) {
        hasGroups = true;
        long flags = group.askOnly ? ASK_ONLY : group.quotaPassed ? QUOTA_PASSED : 0;
        if (group.idempotency != null) {
            idempotent.add(group);
            flags += ONCE;
        }
        write(group.size() == 0 ? NO_CHECKS : -group.size());
        write(flags);
    }

    /** Adds a check of {@code group}. */
    void addCheck(CheckGroup group, Check check, int counter) {
        openRun[counter] = NO_RUN;
        boolean counts = check.countsDenied && !group.askOnly;
        write(
                counter,
                meters.position(check, counts),
                hits(check),
                check.window > 0 ? LAST_ROLE + check.window : role(check));
    }

    /** Adds a lease of hits that the check may spend later, if the request added last passes. */
    void addLease(Check check, int counter) {
        openRun[counter] = NO_RUN;
        int meter = meters.position(check, false);
        if (check.lessee == 0) {
            write(LEASE, counter, meter, Math.min(check.ahead, MAX_HITS));
            return;
        }
        grants.add(RedisKey.ofGrant(check.name.subject(), check.lessee));
        recalls += check.again ? 1 : 0;
        write(KEPT_LEASE, counter, meter, check.again ? 0 : Math.min(check.ahead, MAX_HITS));
        write(check.grant);
    }

    /** Returns the number of grants that are asked for again. */
    int recalls() {
        return recalls;
    }

    /** Returns the number of requests with an idempotency key. */
    int idempotent() {
        return idempotent.size();
    }

    /** Returns the approximate number of bytes to send. */
    int bytes() {
        return 4 * size + 100 * idempotent.size() + GRANT_BYTES * grants.size();
    }

    /**
     * Returns the keys of the counters, then of the idempotency records, then of the kept grants. If {@code inOneSlot}, the records are in
     * the hash slot of the counters.
     */
    byte[][] keys(boolean inOneSlot) {
        byte[][] names = counters.names();
        byte[][] keys = Arrays.copyOf(names, names.length + idempotent.size() + grants.size());
        for (int i = 0; i < idempotent.size(); i++) {
            byte[] caller = idempotency(i).caller();
            keys[names.length + i] = inOneSlot
                    ? RedisKey.ofIdempotency(idempotent.get(i).keptUnder(), caller)
                    : RedisKey.ofIdempotency(caller);
        }
        for (int i = 0; i < grants.size(); i++) {
            keys[names.length + idempotent.size() + i] = grants.get(i);
        }
        return keys;
    }

    /**
     * Returns the program, which charges nothing after {@code expiryMicros} of Redis's clock, and the texts that it
     * refers to.
     */
    byte[][] args(long expiryMicros) {
        writer.clear();
        writer.add(Math.max(0, Math.min(expiryMicros, MAX_HITS)));
        writer.add(counters.reads());
        writer.add(meters.size());
        writer.add((counters.hasBlocks() ? 1 : 0) + (counters.hasPermits() ? 2 : 0) + (counters.hasLevels() ? 4 : 0));
        writer.add(hasGroups ? 1 : 0);
        writer.add(idempotent.isEmpty() ? 0 : 1);
        meters.write(writer);
        packEntries();
        byte[][] args = new byte[1 + 2 * idempotent.size()][];
        args[0] = writer.toBytes();
        for (int i = 0; i < idempotent.size(); i++) {
            args[1 + 2 * i] = idempotency(i).key();
            args[2 + 2 * i] = idempotency(i).fingerprint();
        }
        return args;
    }

    private void packEntries() {
        int at = 0;
        int index = 0;
        int grant = counters.size() + idempotent.size();
        while (at < size) {
            int checks = 1;
            if (entries[at] == LEASE) {
                writer.add(0);
                writer.add(counters.position((int) entries[at + 1]) + 1);
                writer.add(entries[at + 2] + 1);
                writer.add(entries[at + 3]);
                at += 4;
                continue;
            }
            if (entries[at] == KEPT_LEASE) {
                writer.add(0);
                writer.add(counters.position((int) entries[at + 1]) + 1);
                writer.add(-entries[at + 2] - 1);
                writer.add(entries[at + 3]);
                writer.add(++grant);
                writer.add(entries[at + 4]);
                at += 5;
                continue;
            }
            if (entries[at] < 0) {
                checks = entries[at] == NO_CHECKS ? 0 : (int) -entries[at];
                writer.add(-checks);
                long flags = entries[at + 1];
                writer.add(checks == 0 ? -flags : flags); // a lease has the number of its key in this position
                at += 2;
                if (flags >= ONCE) {
                    packIdempotency(index++);
                }
            }
            for (int i = 0; i < checks; i++) {
                writer.add(counters.position((int) entries[at++]) + 1);
                writer.add(entries[at++] + 1);
                writer.add(entries[at++]);
                writer.add(entries[at++]);
            }
        }
    }

    private void packIdempotency(int index) {
        Idempotency idempotency = idempotency(index);
        writer.add(counters.size() + index + 1);
        writer.add(2 + 2 * index);
        writer.add(idempotency.keepMicros());
        writer.add(idempotent.get(index).lookOnly ? 0 : idempotency.most());
    }

    private Idempotency idempotency(int index) {
        return Objects.requireNonNull(idempotent.get(index).idempotency);
    }

    void clear() {
        size = 0;
        hasGroups = false;
        idempotent.clear();
        grants.clear();
        recalls = 0;
        meters.clear();
    }

    private void write(long first, long second, long third, long fourth) {
        write(first);
        write(second);
        write(third);
        write(fourth);
    }

    private void write(long number) {
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, size * 2);
        }
        entries[size++] = number;
    }

    /** Clamps the hits to what the script can count: more is never admitted, or gives everything back. */
    static long hits(Check check) {
        return Math.max(-MAX_HITS, Math.min(check.hits, MAX_HITS));
    }

    private static int role(Check check) {
        return switch (check.role) {
            case ENFORCE -> 0;
            case SHADOW -> 1;
            case QUOTA -> 2;
        };
    }
}
