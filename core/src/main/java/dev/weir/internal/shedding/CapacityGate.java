package dev.weir.internal.shedding;

import dev.weir.LoadShedder.Priority;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * The fleet usage shedder of one service, as one process sees it: it counts what becomes of requests, and says which
 * callers are shed and how much of the capacity is reserved. The shared counter of the service holds the bound; a
 * {@link ShedLevel} makes sure that few requests meet it.
 *
 * <p>Thread-safe and lock-free; nothing here allocates, and there is no timer: the first request after a tick closes it.
 * Time is a parameter, in microseconds.
 */
public final class CapacityGate {
    /** The steps in which the reserve changes, in thousandths of the capacity; each is another limit of the counter. */
    public static final int STEP = 25;

    private static final long TICK_MICROS = 100_000;
    private static final int MOST_TICKS = 600;
    private static final long KNOWN_MICROS = 1_000_000;
    private static final long SAMPLED_MICROS = 5_000;
    private static final long HOUR_MICROS = 3_600_000_000L;
    private static final int THOUSAND = 1_000;

    /** Positions of callers have so many bits, and so have the three shares in {@link #shares}, with one more. */
    private static final int BITS = 20;

    private static final int EVERYONE = 1 << BITS;
    private static final long ALL = packed(EVERYONE, EVERYONE, EVERYONE);

    private final ShedLevel level;
    private final LongAdder[] offered = adders(ShedLevel.OTHERS);
    private final LongAdder[] shed = adders(ShedLevel.OTHERS);
    private final LongAdder passed = new LongAdder();
    private final LongAdder denied = new LongAdder();
    private final LongAdder critical = new LongAdder();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final long[] counts = new long[ShedLevel.OTHERS];

    private volatile int reserve;
    private volatile long tickStart = Long.MIN_VALUE;
    private volatile double usage = Double.NaN;
    private volatile long usageAt;
    /** The part of the callers of each priority that is admitted. */
    private volatile long shares = ALL;

    private volatile double admitted = 1;
    private volatile int steps;
    /** Changes every hour, so that it is not always the same callers that are shed first. */
    private volatile int salt;

    /** The outcome of a request. */
    public enum Fate {
        PASSED,
        /** The counter of the service had no room. */
        DENIED,
        /** Its caller is among those that are shed; the counter was not asked. */
        SHED
    }

    /** Creates a gate that sheds nobody yet. */
    public CapacityGate() {
        this(new ShedLevel());
    }

    CapacityGate(ShedLevel level) {
        this.level = level;
    }

    private static LongAdder[] adders(int count) {
        LongAdder[] adders = new LongAdder[count];
        for (int i = 0; i < count; i++) {
            adders[i] = new LongAdder();
        }
        return adders;
    }

    /** Sets the reserve as written, in thousandths of the capacity. */
    public void setReserve(int thousandths) {
        reserve = thousandths;
        steps = Math.min(steps(thousandths), Math.max(1, steps));
    }

    /** The number of {@linkplain #STEP steps} that cover {@code thousandths}. */
    public static int steps(int thousandths) {
        return (thousandths + STEP - 1) / STEP;
    }

    /** How many {@linkplain #STEP steps} of the capacity are kept for critical requests now. */
    public int reservedSteps() {
        return steps;
    }

    /** Whether some callers are shed. */
    public boolean isShedding() {
        return shares != ALL;
    }

    /** Whether requests of {@code priority} are shed whose caller has the hash {@code caller}. */
    public boolean sheds(Priority priority, int caller) {
        long all = shares;
        return priority != Priority.CRITICAL && all != ALL && position(caller ^ salt) >= share(all, rank(priority));
    }

    /** Whether a request of {@code priority} without a caller is shed: as many as there would be of callers. */
    public boolean shedsAnonymous(Priority priority) {
        return sheds(priority, ThreadLocalRandom.current().nextInt());
    }

    /** The place of {@code priority}, which is not critical, in a {@link ShedLevel}. */
    private static int rank(Priority priority) {
        return switch (priority) {
            case TEST -> 0;
            case READ -> 1;
            case WRITE, CRITICAL -> 2;
        };
    }

    private static int position(int hash) {
        int mixed = (hash ^ hash >>> 16) * 0x85EB_CA6B;
        mixed = (mixed ^ mixed >>> 13) * 0xC2B2_AE35;
        return (mixed ^ mixed >>> 16) >>> (Integer.SIZE - BITS);
    }

    private static int share(long all, int priority) {
        return (int) (all >>> (priority * (BITS + 1))) & ((EVERYONE << 1) - 1);
    }

    private static long packed(int test, int read, int write) {
        return (long) test | (long) read << (BITS + 1) | (long) write << (2 * (BITS + 1));
    }

    /**
     * Notes what became of a request with {@code hits} at {@code now}.
     *
     * @param used the share of the room for requests that are not critical that is in use; NaN if the counter was not
     *     asked
     */
    public void decided(Priority priority, long hits, Fate fate, double used, long now) {
        // Seldom, because all threads read and write it; at once when the counter begins to deny.
        long age = now - usageAt;
        if (!Double.isNaN(used) && (age >= SAMPLED_MICROS || age < 0 || (used >= 1 && usage < 1))) {
            usage = used;
            usageAt = now;
        }
        if (priority == Priority.CRITICAL) {
            critical.add(hits);
        } else {
            int rank = rank(priority);
            offered[rank].add(hits);
            switch (fate) {
                case PASSED -> passed.add(hits);
                case DENIED -> denied.add(hits);
                case SHED -> shed[rank].increment();
            }
        }
        long since = tickStart;
        boolean due = since == Long.MIN_VALUE || now - since >= TICK_MICROS || now < since;
        if (due && closing.compareAndSet(false, true)) {
            try {
                close(now);
            } finally {
                closing.set(false);
            }
        }
    }

    private void close(long now) {
        long elapsed = now - tickStart;
        if (tickStart == Long.MIN_VALUE || elapsed < 0) {
            tickStart = now; // the first request, or the clock was set back
            return;
        }
        if (elapsed < TICK_MICROS) {
            return; // another thread was faster
        }
        for (int i = 0; i < counts.length; i++) {
            counts[i] = offered[i].sumThenReset();
        }
        int ticks = (int) Math.min(MOST_TICKS, elapsed / TICK_MICROS);
        double known = now - usageAt <= KNOWN_MICROS ? usage : Double.NaN;
        level.tick(
                ticks,
                known,
                counts,
                passed.sumThenReset(),
                denied.sumThenReset(),
                critical.sumThenReset(),
                (double) reserve / THOUSAND);
        steps = Math.min(steps(reserve), steps((int) Math.ceil(level.reserve() * THOUSAND)));
        shares = packed(part(0), part(1), part(2));
        admitted = level.level();
        salt = (int) (now / HOUR_MICROS) * 0x9E37_79B1;
        tickStart = now;
    }

    private int part(int priority) {
        return (int) Math.round(level.admitted(priority) * EVERYONE);
    }

    /** The part of all requests that are not critical that is admitted, from 0 to 1. */
    public double admitted() {
        return admitted;
    }

    /** The share of the room for requests that are not critical that is in use; NaN if nobody asked lately. */
    public double usage(long now) {
        return now - usageAt <= KNOWN_MICROS ? usage : Double.NaN;
    }

    /** Requests of {@code priority} whose callers were shed since the start; 0 for critical ones. */
    public long shed(Priority priority) {
        return priority == Priority.CRITICAL ? 0 : shed[rank(priority)].sum();
    }
}
