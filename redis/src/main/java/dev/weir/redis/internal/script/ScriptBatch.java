package dev.weir.redis.internal.script;

import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Idempotency;
import java.util.Arrays;
import java.util.List;

/**
 * Requests on their way to Redis in one call of the {@link BatchScript}, in the order in which they came. A buffer that is filled,
 * sent, read and cleared; not for several threads at a time.
 *
 * <p>The script replies the time and the states as they were. {@link BatchReplay} applies the checks to them once more: the meters are pure
 * functions, so everybody gets the outcome they would have got alone.
 *
 * <h2>Work</h2>
 *
 * While the script runs, nobody else is served. So a batch is full when it is about a millisecond's work for Redis, of which it counts
 * a microsecond for each counter and for each check that joins no run, and what logs, sub-windows and idempotency keys take beyond that.
 */
public final class ScriptBatch {
    public static final int DEFAULT_MAX_WORK = 1_024;
    public static final int DEFAULT_MAX_BYTES = 256 * 1024;
    public static final int DEFAULT_MAX_GROUPS = 16_384;

    /** In the place of how many passed. */
    private static final Long EXPIRED = -1L;

    private static final int NO_ANSWER = -1;

    private static final int WORK_OF_A_COUNTER = 1;
    private static final int WORK_OF_A_CHECK = 1;
    private static final int WORK_OF_A_BLOCK = 5;
    private static final int PARTS_IN_ONE_WORK = 4;
    private static final int WORK_OF_A_KEY = 12;

    private final int maxWork;
    private final int maxBytes;
    private final int maxGroups;
    private final CounterTable counters = new CounterTable();
    private final BatchProgram program = new BatchProgram(counters);
    private final BatchReplay replay = new BatchReplay(counters);

    private CheckGroup[] groups = new CheckGroup[64];
    private int size;
    /** Counters of the checks of all groups, in their order. */
    private int[] asked = new int[64];

    /** Where the script answers each of them, if it does. */
    private int[] answered = new int[64];

    /** Where it answers what was asked for ahead with each of them. */
    private int[] answeredAhead = new int[64];

    private int askedSize;
    private int answersSize;
    private int work;
    /** Where it answers the check that was asked of each counter last. */
    private int[] openAnswer = new int[64];

    private long timeMicros;

    public ScriptBatch() {
        this(DEFAULT_MAX_WORK, DEFAULT_MAX_BYTES, DEFAULT_MAX_GROUPS);
    }

    /** A batch of no more than so much work, bytes to send, and groups, or little more. */
    public ScriptBatch(int maxWork, int maxBytes, int maxGroups) {
        this.maxWork = maxWork;
        this.maxBytes = maxBytes;
        this.maxGroups = maxGroups;
    }

    /**
     * Takes up {@code group}, which must not change until the batch is {@linkplain #clear cleared}; false if it is full. An empty
     * batch takes up any group.
     */
    public boolean add(CheckGroup group) {
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
        } else if (group.size() > 0 || group.idempotency != null) {
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

    public CheckGroup group(int index) {
        return groups[index];
    }

    /** Counters that the batch touches. */
    public int counters() {
        return counters.size();
    }

    /** What it will take to send, about. */
    public int bytes() {
        return counters.bytes() + 16 * counters.size() + program.bytes();
    }

    /** All that it touches; {@code inOneSlot}: idempotency keys have to be where the counters are. */
    public byte[][] keys(boolean inOneSlot) {
        return program.keys(inOneSlot);
    }

    /** The program, which charges nothing after {@code expiryMicros} of Redis's clock. */
    public byte[][] args(long expiryMicros) {
        return program.args(expiryMicros);
    }

    /** Reads what the script replied, and if it is {@link BatchStatus#DONE} writes every outcome. */
    public BatchStatus read(List<?> reply) {
        if (reply.size() == 2 && reply.get(0) instanceof Long now && EXPIRED.equals(reply.get(1))) {
            timeMicros = now;
            return BatchStatus.EXPIRED;
        }
        int states = counters.reads();
        int answers = states + 2;
        int knowns = answers + BlockAnswers.NUMBERS * answersSize;
        if (reply.size() != knowns + program.onces()
                || !(reply.get(states) instanceof Long now)
                || !(reply.get(states + 1) instanceof Long passed)
                || !replay.begin(reply.subList(0, states), reply.subList(answers, knowns), answersSize)) {
            return BatchStatus.BROKEN;
        }
        timeMicros = now;
        long expected = 0;
        int once = 0;
        int from = 0;
        for (int i = 0; i < size; i++) {
            CheckGroup group = groups[i];
            Idempotency key = group.idempotency;
            if (key == null
                    || !IdempotencyRecordReader.read(
                            group, key.fingerprint().length, reply.get(knowns + once++), now)) {
                int passes = replay.group(group, asked, answered, from, now);
                expected += passes + replay.leases(group, asked, answeredAhead, from, passes > 0, now);
            }
            from += group.size();
        }
        return expected == passed ? BatchStatus.DONE : BatchStatus.BROKEN;
    }

    /** How many checks of the last reply met a counter in a format of a later version: they failed, and took nothing. */
    public int unknownChecks() {
        return replay.unknownChecks();
    }

    /** Redis's time as the reply told it; 0 if it did not. */
    public long timeMicros() {
        return timeMicros;
    }

    /** The first word of the state that the counter of {@code check} has after the batch. */
    long word0(Check check) {
        return replay.word0(counters.find(check, MeterTable.of(check).counting()));
    }

    /** The second word of it. */
    long word1(Check check) {
        return replay.word1(counters.find(check, MeterTable.of(check).counting()));
    }

    public void clear() {
        Arrays.fill(groups, 0, size, null);
        size = 0;
        askedSize = 0;
        answersSize = 0;
        work = 0;
        timeMicros = 0;
        counters.clear();
        program.clear();
    }

    /** Of counters that are here already the checks may join a run, which costs nothing. */
    private boolean hasRoomFor(CheckGroup group) {
        long more = 0;
        for (int i = 0; i < group.size(); i++) {
            Check check = group.get(i);
            boolean isNew = counters.find(check, MeterTable.of(check).counting()) < 0;
            more += isNew ? WORK_OF_A_COUNTER + work(check) : 0;
        }
        return size < maxGroups && bytes() < maxBytes && work + more <= maxWork;
    }

    private static int work(Check check) {
        Meter meter = MeterTable.of(check);
        return meter instanceof BlockMeter
                ? WORK_OF_A_CHECK + WORK_OF_A_BLOCK + meter.limit().subWindows() / PARTS_IN_ONE_WORK
                : WORK_OF_A_CHECK;
    }

    private void addRun(Check check) {
        int counter = counter(check);
        if (program.addRun(check, counter)) {
            answered[askedSize - 1] = openAnswer[counter];
        } else {
            openAnswer[counter] = nextAnswer(check);
            work += work(check);
        }
    }

    private void addTogether(CheckGroup group) {
        program.addGroup(group);
        work += group.idempotency == null ? 0 : WORK_OF_A_KEY;
        for (int i = 0; i < group.size(); i++) {
            Check check = group.get(i);
            program.addCheck(group, check, counter(check));
            nextAnswer(check);
            work += work(check);
        }
    }

    private void addLease(Check check, int place) {
        answeredAhead[place] = check.meter instanceof BlockMeter ? answersSize++ : NO_ANSWER;
        program.addLease(check, asked[place]);
        work += work(check);
    }

    private int counter(Check check) {
        MeterKind counting = MeterTable.of(check).counting();
        int counter = counters.find(check, counting);
        if (counter < 0) {
            counter = counters.add(check, counting);
            program.met(counter);
            work += WORK_OF_A_COUNTER;
            if (counter >= openAnswer.length) {
                openAnswer = Arrays.copyOf(openAnswer, openAnswer.length * 2);
            }
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
}
