package dev.weir.redis.script;

import dev.weir.algorithm.BlockMeter;
import dev.weir.algorithm.Meter;
import dev.weir.coalesce.Group;
import dev.weir.store.Check;
import dev.weir.store.Idempotency;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Requests on their way to Redis in one call of the {@link BatchScript}, in the order in which they came. A buffer that is filled,
 * sent, read and cleared; not for several threads at a time.
 *
 * <h2>Runs</h2>
 *
 * The same check asked again and again, by requests that ask nothing else, is one entry with a count, as long as nothing else asks its
 * counter in between. So for each counter the order of arrival is kept, and that is all the order there is.
 *
 * <h2>Outcomes</h2>
 *
 * The script replies the time and the states as they were. {@link Replay} applies the checks to them once more: the meters are pure
 * functions, so everybody gets the outcome they would have got alone.
 */
public final class Batch {
    public static final int DEFAULT_MAX_KEYS = 512;
    public static final int DEFAULT_MAX_BYTES = 256 * 1024;
    public static final int DEFAULT_MAX_GROUPS = 16_384;

    static final long MAX_HITS = (1L << 53) - 1;
    private static final long QUOTA_PASSED = 1;
    private static final long ASK_ONLY = 2;
    private static final long ONCE = 4;
    private static final long LEASE = Long.MIN_VALUE;
    /** In the place of how many passed. */
    private static final Long EXPIRED = -1L;

    private static final int NO_RUN = -1;
    private static final int NO_ANSWER = -1;

    private final int maxKeys;
    private final int maxBytes;
    private final int maxGroups;
    private final CounterTable counters = new CounterTable();
    private final MeterTable meters = new MeterTable();
    private final Packer packer = new Packer();
    private final Replay replay = new Replay(counters);

    private Group[] groups = new Group[64];
    private int size;
    /** Counters of the checks of all groups, in their order. */
    private int[] asked = new int[64];

    /** Where the script answers each of them, if it does. */
    private int[] answered = new int[64];

    /** Where it answers what was asked for ahead with each of them. */
    private int[] answeredAhead = new int[64];

    private int askedSize;
    private int answersSize;
    private boolean hasGroups;
    /** Of the groups that are charged once, in their order. */
    private final List<Group> onces = new ArrayList<>();
    /**
     * {@code counter, meter, hits, times} or {@code -checks, flags, (counter, meter, hits, role)...}, and after it, for each of the
     * checks that asks for hits ahead, {@code LEASE, counter, meter, hits}.
     */
    private long[] entries = new long[256];

    private int entriesSize;
    /** For each counter the entry that a check like its last one may join. */
    private int[] openRun = new int[64];

    private int[] openAnswer = new int[64];

    private long timeMicros;

    public Batch() {
        this(DEFAULT_MAX_KEYS, DEFAULT_MAX_BYTES, DEFAULT_MAX_GROUPS);
    }

    /** A batch of no more than so many counters, bytes to send, and groups. */
    public Batch(int maxKeys, int maxBytes, int maxGroups) {
        this.maxKeys = maxKeys;
        this.maxBytes = maxBytes;
        this.maxGroups = maxGroups;
    }

    /**
     * Takes up {@code group}, which must not change until the batch is {@linkplain #clear cleared}; false if it is full. An empty
     * batch takes up any group.
     */
    public boolean add(Group group) {
        if (size > 0 && !hasRoomFor(group)) {
            return false;
        }
        if (size == groups.length) {
            groups = Arrays.copyOf(groups, size * 2);
        }
        groups[size++] = group;
        int from = askedSize;
        if (group.size() == 1 && !group.askOnly && group.idempotency == null) {
            addRun(group.get(0));
        } else if (group.size() > 0) {
            addTogether(group);
        }
        for (int i = 0; i < group.size(); i++) {
            if (group.leases(i)) {
                addLease(group.get(i), from + i);
            }
        }
        return true;
    }

    public int groups() {
        return size;
    }

    public Group group(int index) {
        return groups[index];
    }

    /** Counters that the batch touches. */
    public int counters() {
        return counters.size();
    }

    /** What it will take to send, about. */
    public int bytes() {
        return counters.bytes() + 16 * counters.size() + 4 * entriesSize + 100 * onces.size();
    }

    public byte[][] keys() {
        byte[][] names = counters.names();
        byte[][] keys = Arrays.copyOf(names, names.length + onces.size());
        for (int i = 0; i < onces.size(); i++) {
            keys[names.length + i] = RedisKey.ofIdempotency(
                    onces.get(i).keptUnder(), idempotency(i).caller());
        }
        return keys;
    }

    /** The program, which charges nothing after {@code expiryMicros} of Redis's clock. */
    public byte[][] args(long expiryMicros) {
        packer.clear();
        packer.add(Math.max(0, Math.min(expiryMicros, MAX_HITS)));
        packer.add(counters.reads());
        packer.add(meters.size());
        packer.add(counters.hasBlocks() ? 1 : 0);
        packer.add(hasGroups ? 1 : 0);
        packer.add(onces.isEmpty() ? 0 : 1);
        meters.write(packer);
        int at = 0;
        int once = 0;
        while (at < entriesSize) {
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
                checks = (int) -entries[at];
                packer.add(entries[at++]);
                long flags = entries[at++];
                packer.add(flags);
                if (flags >= ONCE) {
                    writeOnce(once++);
                }
            }
            for (int i = 0; i < checks; i++) {
                packer.add(counters.place((int) entries[at++]) + 1);
                packer.add(entries[at++] + 1);
                packer.add(entries[at++]);
                packer.add(entries[at++]);
            }
        }
        byte[][] args = new byte[1 + 2 * onces.size()][];
        args[0] = packer.toBytes();
        for (int i = 0; i < onces.size(); i++) {
            args[1 + 2 * i] = idempotency(i).key();
            args[2 + 2 * i] = idempotency(i).fingerprint();
        }
        return args;
    }

    private void writeOnce(int index) {
        Idempotency once = idempotency(index);
        packer.add(counters.size() + index + 1);
        packer.add(2 + 2 * index);
        packer.add(once.keepMicros());
        packer.add(onces.get(index).lookOnly ? 0 : once.most());
    }

    private Idempotency idempotency(int index) {
        return Objects.requireNonNull(onces.get(index).idempotency);
    }

    /** Reads what the script replied, and if it is {@link Reply#DONE} writes every outcome. */
    public Reply read(List<?> reply) {
        if (reply.size() == 2 && reply.get(0) instanceof Long now && EXPIRED.equals(reply.get(1))) {
            timeMicros = now;
            return Reply.EXPIRED;
        }
        int states = counters.reads();
        int answers = states + 2;
        int knowns = answers + BlockAnswers.NUMBERS * answersSize;
        if (reply.size() != knowns + onces.size()
                || !(reply.get(states) instanceof Long now)
                || !(reply.get(states + 1) instanceof Long passed)
                || !replay.begin(reply.subList(0, states), reply.subList(answers, knowns), answersSize)) {
            return Reply.BROKEN;
        }
        timeMicros = now;
        long expected = 0;
        int once = 0;
        int from = 0;
        for (int i = 0; i < size; i++) {
            Group group = groups[i];
            Idempotency key = group.idempotency;
            if (key == null || !Repeats.read(group, key.fingerprint().length, reply.get(knowns + once++), now)) {
                int passes = replay.group(group, asked, answered, from, now);
                expected += passes + replay.leases(group, asked, answeredAhead, from, passes > 0, now);
            }
            from += group.size();
        }
        return expected == passed ? Reply.DONE : Reply.BROKEN;
    }

    /** Redis's time as the reply told it; 0 if it did not. */
    public long timeMicros() {
        return timeMicros;
    }

    /** The first word of the state that the counter of {@code check} has after the batch. */
    long word0(Check check) {
        return replay.word0(counters.find(check, meter(check).counting()));
    }

    /** The second word of it. */
    long word1(Check check) {
        return replay.word1(counters.find(check, meter(check).counting()));
    }

    public void clear() {
        Arrays.fill(groups, 0, size, null);
        size = 0;
        askedSize = 0;
        answersSize = 0;
        hasGroups = false;
        onces.clear();
        entriesSize = 0;
        timeMicros = 0;
        counters.clear();
        meters.clear();
    }

    private boolean hasRoomFor(Group group) {
        int missing = 0;
        for (int i = 0; i < group.size(); i++) {
            Check check = group.get(i);
            missing += counters.find(check, meter(check).counting()) < 0 ? 1 : 0;
        }
        return size < maxGroups && bytes() < maxBytes && (missing == 0 || counters.size() + missing <= maxKeys);
    }

    private void addRun(Check check) {
        int counter = counter(check);
        int meter = meters.place(meter(check), check.countsDenied);
        long hits = hits(check);
        int run = check.ahead > 0 ? NO_RUN : openRun[counter];
        if (run != NO_RUN && hits >= 0 && entries[run + 1] == meter && entries[run + 2] == hits) {
            entries[run + 3]++;
            answered[askedSize - 1] = openAnswer[counter];
            return;
        }
        openRun[counter] = entriesSize;
        openAnswer[counter] = nextAnswer(check);
        write(counter, meter, hits, 1);
    }

    private void addTogether(Group group) {
        hasGroups = true;
        writeEntry(-group.size());
        long flags = group.askOnly ? ASK_ONLY : group.quotaPassed ? QUOTA_PASSED : 0;
        if (group.idempotency != null) {
            onces.add(group);
            flags += ONCE;
        }
        writeEntry(flags);
        for (int i = 0; i < group.size(); i++) {
            Check check = group.get(i);
            int counter = counter(check);
            openRun[counter] = NO_RUN;
            nextAnswer(check);
            boolean counts = check.countsDenied && !group.askOnly;
            write(counter, meters.place(meter(check), counts), hits(check), role(check));
        }
    }

    /** Single hits more, which are the check's to spend later, if the request that was added last passes. */
    private void addLease(Check check, int place) {
        int counter = asked[place];
        openRun[counter] = NO_RUN;
        answeredAhead[place] = check.meter instanceof BlockMeter ? answersSize++ : NO_ANSWER;
        write(LEASE, counter, meters.place(meter(check), false), Math.min(check.ahead, MAX_HITS));
    }

    private int counter(Check check) {
        Meter meter = meter(check);
        int counter = counters.find(check, meter.counting());
        if (counter < 0) {
            counter = counters.add(check, meter.counting());
            if (counter >= openRun.length) {
                openRun = Arrays.copyOf(openRun, openRun.length * 2);
                openAnswer = Arrays.copyOf(openAnswer, openRun.length);
            }
            openRun[counter] = NO_RUN;
        }
        if (askedSize == asked.length) {
            asked = Arrays.copyOf(asked, askedSize * 2);
            answered = Arrays.copyOf(answered, askedSize * 2);
            answeredAhead = Arrays.copyOf(answeredAhead, askedSize * 2);
        }
        asked[askedSize++] = counter;
        return counter;
    }

    /** Gives the check added last an answer of its own, if its meter keeps a block. */
    private int nextAnswer(Check check) {
        int answer = check.meter instanceof BlockMeter ? answersSize++ : NO_ANSWER;
        answered[askedSize - 1] = answer;
        return answer;
    }

    private void write(long first, long second, long third, long fourth) {
        writeEntry(first);
        writeEntry(second);
        writeEntry(third);
        writeEntry(fourth);
    }

    private void writeEntry(long number) {
        if (entriesSize == entries.length) {
            entries = Arrays.copyOf(entries, entriesSize * 2);
        }
        entries[entriesSize++] = number;
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

    private static Meter meter(Check check) {
        Meter meter = check.meter;
        if (meter == null) {
            throw new IllegalArgumentException("meter: null (expected: the meter of the check's limit)");
        }
        return meter;
    }
}
