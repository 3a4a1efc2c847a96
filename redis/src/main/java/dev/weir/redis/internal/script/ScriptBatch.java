package dev.weir.redis.internal.script;

import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.store.RequestCost;
import java.util.Arrays;
import java.util.List;

/**
 * The requests of one call of the {@link BatchScript}, in order of arrival. It is a buffer that is filled, sent, read
 * and cleared; not thread-safe.
 *
 * <p>The script replies with the time and the states as it found them. {@link BatchReplay} applies the checks to them
 * again. The meters are pure functions, so every request gets the outcome that it would have got alone.
 *
 * <h2>Work</h2>
 *
 * While the script runs, Redis serves nobody else. So the {@linkplain RequestCost cost} of a batch is bounded, also if it
 * has a single group. A check that joins a run costs nothing.
 */
public final class ScriptBatch {
    public static final int DEFAULT_MAX_BYTES = 256 * 1024;
    public static final int DEFAULT_MAX_GROUPS = 16_384;

    /** The script's reply instead of the number that passed. */
    private static final Long EXPIRED = -1L;

    private static final int NO_ANSWER = -1;

    private static final int NO_RUN = -1;

    private final int maxCost;
    private final int maxBytes;
    private final int maxGroups;
    private final CounterTable counters = new CounterTable();
    private final BatchProgram program = new BatchProgram(counters);
    private final BatchReplay replay = new BatchReplay(counters);

    private CheckGroup[] groups = new CheckGroup[64];
    private int size;
    /** The counters of the checks of all groups, in order. */
    private int[] asked = new int[64];

    /** The index of the script's answer to each check, if it has one. */
    private int[] answered = new int[64];

    /** The index of the script's answer to the lease of each check. */
    private int[] answeredAhead = new int[64];

    private int askedSize;
    private int answersSize;
    private long cost;

    /** The index of the script's answer to the last check of each counter. */
    private int[] openAnswer = new int[64];

    private long timeMicros;

    public ScriptBatch() {
        this(RequestCost.MAX_STEP, DEFAULT_MAX_BYTES, DEFAULT_MAX_GROUPS);
    }

    /** Creates a batch with bounds on cost, bytes to send and groups; the last group added may exceed the bytes. */
    public ScriptBatch(int maxCost, int maxBytes, int maxGroups) {
        this.maxCost = maxCost;
        this.maxBytes = maxBytes;
        this.maxGroups = maxGroups;
    }

    /**
     * Adds {@code group}, which must not change until the batch is {@linkplain #clear cleared}; false if the batch is
     * full. An empty batch accepts a group of any number of bytes, but not of any cost.
     */
    public boolean add(CheckGroup group) {
        boolean isSingle = group.size() == 1 && !group.askOnly && group.idempotency == null;
        int run = isSingle && size > 0 ? runFor(group.get(0)) : NO_RUN;
        long more = run == NO_RUN ? group.cost() : 0;
        if (cost + more > maxCost || (size > 0 && (size >= maxGroups || bytes() >= maxBytes))) {
            return false;
        }
        cost += more;
        if (size == groups.length) {
            groups = Arrays.copyOf(groups, size * 2);
        }
        groups[size++] = group;
        if (run != NO_RUN) {
            joinRun(run);
            return true;
        }
        int from = askedSize;
        if (isSingle) {
            startRun(group.get(0));
        } else if (group.size() > 0 || group.idempotency != null) {
            addGroup(group);
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

    /** Returns the number of counters. */
    public int counters() {
        return counters.size();
    }

    /** Returns the approximate number of bytes to send. */
    public int bytes() {
        return counters.bytes() + 16 * counters.size() + program.bytes();
    }

    /** Returns all keys; {@code inOneSlot}: idempotency records must be in the hash slot of the counters. */
    public byte[][] keys(boolean inOneSlot) {
        return program.keys(inOneSlot);
    }

    /** Returns the program, which charges nothing after {@code expiryMicros} of Redis's clock. */
    public byte[][] args(long expiryMicros) {
        return program.args(expiryMicros);
    }

    /** Reads the script's reply, and if it is {@link BatchStatus#DONE} writes every outcome. */
    public BatchStatus read(List<?> reply) {
        if (reply.size() == 2 && reply.get(0) instanceof Long now && EXPIRED.equals(reply.get(1))) {
            timeMicros = now;
            return BatchStatus.EXPIRED;
        }
        int states = counters.reads();
        int answers = states + 2;
        int records = answers + BlockAnswers.NUMBERS * answersSize;
        int recalls = records + program.idempotent();
        if (reply.size() != recalls + program.recalls()
                || !(reply.get(states) instanceof Long now)
                || !(reply.get(states + 1) instanceof Long passed)
                || !replay.begin(reply.subList(0, states), reply.subList(answers, records), answersSize)
                || !replay.recalls(reply.subList(recalls, reply.size()))) {
            return BatchStatus.BROKEN;
        }
        timeMicros = now;
        long expected = 0;
        int record = 0;
        int from = 0;
        for (int i = 0; i < size; i++) {
            CheckGroup group = groups[i];
            group.storeMicros = now;
            Idempotency key = group.idempotency;
            if (key == null
                    || !IdempotencyRecordReader.read(
                            group, key.fingerprint().length, reply.get(records + record++), now)) {
                int passes = replay.group(group, asked, answered, from, now);
                expected += passes + replay.leases(group, asked, answeredAhead, from, passes > 0, now);
            }
            from += group.size();
        }
        return expected == passed ? BatchStatus.DONE : BatchStatus.BROKEN;
    }

    /** Returns how many checks of the last reply met a counter of a later format; they failed and took nothing. */
    public int unknownChecks() {
        return replay.unknownChecks();
    }

    /** Returns Redis's time in the reply; 0 if it had none. */
    public long timeMicros() {
        return timeMicros;
    }

    /** Returns the first word of the state of the counter of {@code check} after the batch. */
    long word0(Check check) {
        return replay.word0(counters.find(check, MeterTable.of(check).counting()));
    }

    /** Returns the second word of that state. */
    long word1(Check check) {
        return replay.word1(counters.find(check, MeterTable.of(check).counting()));
    }

    public void clear() {
        Arrays.fill(groups, 0, size, null);
        size = 0;
        askedSize = 0;
        answersSize = 0;
        cost = 0;
        timeMicros = 0;
        counters.clear();
        program.clear();
    }

    /** Returns the cost of all groups that were added. */
    long cost() {
        return cost;
    }

    /** Returns the counter whose run {@code check} only makes longer, which costs nothing; {@link #NO_RUN} if none. */
    private int runFor(Check check) {
        int counter = counters.find(check, MeterTable.of(check).counting());
        return counter >= 0 && program.joinsRun(check, counter) ? counter : NO_RUN;
    }

    private void joinRun(int counter) {
        program.joinRun(counter);
        ask(counter);
        answered[askedSize - 1] = openAnswer[counter];
    }

    private void startRun(Check check) {
        int counter = counter(check);
        program.startRun(check, counter);
        openAnswer[counter] = nextAnswer(check);
    }

    private void addGroup(CheckGroup group) {
        program.addGroup(group);
        for (int i = 0; i < group.size(); i++) {
            Check check = group.get(i);
            program.addCheck(group, check, counter(check));
            nextAnswer(check);
        }
    }

    private void addLease(Check check, int index) {
        answeredAhead[index] = check.meter instanceof BlockMeter ? answersSize++ : NO_ANSWER;
        program.addLease(check, asked[index]);
    }

    private int counter(Check check) {
        MeterKind counting = MeterTable.of(check).counting();
        int counter = counters.find(check, counting);
        if (counter < 0) {
            counter = counters.add(check, counting);
            program.added(counter);
            if (counter >= openAnswer.length) {
                openAnswer = Arrays.copyOf(openAnswer, openAnswer.length * 2);
            }
        }
        ask(counter);
        return counter;
    }

    /** Adds a check of {@code counter}. */
    private void ask(int counter) {
        if (askedSize == asked.length) {
            asked = Arrays.copyOf(asked, askedSize * 2);
            answered = Arrays.copyOf(answered, askedSize * 2);
            answeredAhead = Arrays.copyOf(answeredAhead, askedSize * 2);
        }
        asked[askedSize++] = counter;
    }

    /** Assigns an answer to the check added last, if its counter is a block. */
    private int nextAnswer(Check check) {
        int answer = check.meter instanceof BlockMeter ? answersSize++ : NO_ANSWER;
        answered[askedSize - 1] = answer;
        return answer;
    }
}
