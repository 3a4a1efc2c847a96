package dev.weir.redis.internal.script;

import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Idempotency;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What the script is told to do, entry by entry, as its head comment has it. Counters and meters are named by their order in the tables
 * until it is written, for only then are their places known.
 *
 * <h2>Runs</h2>
 *
 * The same check asked again and again, by requests that ask nothing else, is one entry with a count, as long as nothing else asks its
 * counter in between. So for each counter the order of arrival is kept, and that is all the order there is.
 */
final class BatchProgram {
    static final long MAX_HITS = (1L << 53) - 1;
    private static final long QUOTA_PASSED = 1;
    private static final long ASK_ONLY = 2;
    private static final long ONCE = 4;
    private static final long LEASE = Long.MIN_VALUE;
    /** In the place of {@code -checks}, where there are none. */
    private static final long NO_CHECKS = Long.MIN_VALUE + 1;

    private static final int NO_RUN = -1;

    private final CounterTable counters;
    private final MeterTable meters = new MeterTable();
    private final MessagePackWriter packer = new MessagePackWriter();

    /**
     * {@code counter, meter, hits, times} or {@code -checks, flags, (counter, meter, hits, role)...}, and after it, for each of the
     * checks that asks for hits ahead, {@code LEASE, counter, meter, hits}.
     */
    private long[] entries = new long[256];

    private int size;
    /** For each counter the entry that a check like its last one may join. */
    private int[] openRun = new int[64];

    private boolean hasGroups;
    /** Of the groups that are charged once, in their order. */
    private final List<CheckGroup> onces = new ArrayList<>();

    BatchProgram(CounterTable counters) {
        this.counters = counters;
    }

    /** A counter that was met for the first time. */
    void met(int counter) {
        if (counter >= openRun.length) {
            openRun = Arrays.copyOf(openRun, openRun.length * 2);
        }
        openRun[counter] = NO_RUN;
    }

    /** A check that a request asks alone. Returns whether it is the one that was asked of its counter last, once more. */
    boolean addRun(Check check, int counter) {
        int meter = meters.place(MeterTable.of(check), check.countsDenied);
        long hits = hits(check);
        int run = check.ahead > 0 ? NO_RUN : openRun[counter];
        if (run != NO_RUN && hits >= 0 && entries[run + 1] == meter && entries[run + 2] == hits) {
            entries[run + 3]++;
            return true;
        }
        openRun[counter] = size;
        write(counter, meter, hits, 1);
        return false;
    }

    /** A request whose checks follow: all of them or none. */
    void addGroup(CheckGroup group) {
        hasGroups = true;
        long flags = group.askOnly ? ASK_ONLY : group.quotaPassed ? QUOTA_PASSED : 0;
        if (group.idempotency != null) {
            onces.add(group);
            flags += ONCE;
        }
        write(group.size() == 0 ? NO_CHECKS : -group.size());
        write(flags);
    }

    /** One of the checks of {@code group}. */
    void addCheck(CheckGroup group, Check check, int counter) {
        openRun[counter] = NO_RUN;
        boolean counts = check.countsDenied && !group.askOnly;
        write(counter, meters.place(MeterTable.of(check), counts), hits(check), role(check));
    }

    /** Single hits more, which are the check's to spend later, if the request that was added last passes. */
    void addLease(Check check, int counter) {
        openRun[counter] = NO_RUN;
        write(LEASE, counter, meters.place(MeterTable.of(check), false), Math.min(check.ahead, MAX_HITS));
    }

    /** How many requests are charged once. */
    int onces() {
        return onces.size();
    }

    /** What it will take to send, about. */
    int bytes() {
        return 4 * size + 100 * onces.size();
    }

    /** The counters, and after them where it is kept what is charged once: if {@code inOneSlot}, in that of its counters. */
    byte[][] keys(boolean inOneSlot) {
        byte[][] names = counters.names();
        byte[][] keys = Arrays.copyOf(names, names.length + onces.size());
        for (int i = 0; i < onces.size(); i++) {
            byte[] caller = idempotency(i).caller();
            keys[names.length + i] = inOneSlot
                    ? RedisKey.ofIdempotency(onces.get(i).keptUnder(), caller)
                    : RedisKey.ofIdempotency(caller);
        }
        return keys;
    }

    /** The program, which charges nothing after {@code expiryMicros} of Redis's clock, and the texts that it names. */
    byte[][] args(long expiryMicros) {
        packer.clear();
        packer.add(Math.max(0, Math.min(expiryMicros, MAX_HITS)));
        packer.add(counters.reads());
        packer.add(meters.size());
        packer.add(counters.hasBlocks() ? 1 : 0);
        packer.add(hasGroups ? 1 : 0);
        packer.add(onces.isEmpty() ? 0 : 1);
        meters.write(packer);
        packEntries();
        byte[][] args = new byte[1 + 2 * onces.size()][];
        args[0] = packer.toBytes();
        for (int i = 0; i < onces.size(); i++) {
            args[1 + 2 * i] = idempotency(i).key();
            args[2 + 2 * i] = idempotency(i).fingerprint();
        }
        return args;
    }

    private void packEntries() {
        int at = 0;
        int once = 0;
        while (at < size) {
            int checks = 1;
            if (entries[at] == LEASE) {
                packer.add(0);
                packer.add(counters.place((int) entries[at + 1]) + 1);
                packer.add(entries[at + 2] + 1);
                packer.add(entries[at + 3]);
                at += 4;
                continue;
            }
            if (entries[at] < 0) {
                checks = entries[at] == NO_CHECKS ? 0 : (int) -entries[at];
                packer.add(-checks);
                long flags = entries[at + 1];
                packer.add(checks == 0 ? -flags : flags); // a lease has the number of its key there
                at += 2;
                if (flags >= ONCE) {
                    packOnce(once++);
                }
            }
            for (int i = 0; i < checks; i++) {
                packer.add(counters.place((int) entries[at++]) + 1);
                packer.add(entries[at++] + 1);
                packer.add(entries[at++]);
                packer.add(entries[at++]);
            }
        }
    }

    private void packOnce(int index) {
        Idempotency once = idempotency(index);
        packer.add(counters.size() + index + 1);
        packer.add(2 + 2 * index);
        packer.add(once.keepMicros());
        packer.add(onces.get(index).lookOnly ? 0 : once.most());
    }

    private Idempotency idempotency(int index) {
        return Objects.requireNonNull(onces.get(index).idempotency);
    }

    void clear() {
        size = 0;
        hasGroups = false;
        onces.clear();
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

    /** More than a script can count means what the most that it can count means: never, or all of it back. */
    private static long hits(Check check) {
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
