package dev.weir.redis.internal.script;

import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.store.Check;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a batch, numbered in the order in which they were added. Each is listed once for hits that count when
 * denied, once for hits that are owed, and once for others.
 */
final class MeterTable {
    private int[] table = new int[32];
    private @Nullable Meter[] meters = new Meter[16];
    /** Hits that are taken if they fit, count when denied, or are owed: charged even if they do not fit. */
    private static final int FITTING = 0;

    private static final int COUNTED = 1;
    private static final int OWED = 2;

    private int[] modes = new int[16];
    private int size;

    /** Returns the meter of {@code check}. */
    static Meter of(Check check) {
        Meter meter = check.meter;
        if (meter == null) {
            throw new IllegalArgumentException("meter: null (expected: the meter of the check's limit)");
        }
        return meter;
    }

    int size() {
        return size;
    }

    /** Returns the number of the meter of {@code check}, which is added if it is new; its denied hits count if {@code counts}. */
    int position(Check check, boolean counts) {
        Meter meter = of(check);
        int mode = check.owed ? OWED : counts ? COUNTED : FITTING;
        int slot = slot(meter, mode);
        if (table[slot] == 0) {
            if (size == meters.length) {
                grow();
                slot = slot(meter, mode);
            }
            meters[size] = meter;
            modes[size] = mode;
            table[slot] = ++size;
        }
        return table[slot] - 1;
    }

    void write(MessagePackWriter writer) {
        for (int i = 0; i < size; i++) {
            Meter meter = meters[i];
            if (meter != null) {
                writer.add(code(meter.counting()));
                writer.add(modes[i]);
                for (long number : meter.numbers()) {
                    writer.add(number);
                }
            }
        }
    }

    void clear() {
        Arrays.fill(table, 0);
        Arrays.fill(meters, 0, size, null);
        size = 0;
    }

    /** Returns the script's number of a kind of meter. */
    private static int code(MeterKind counting) {
        return switch (counting) {
            case BUCKET -> 1;
            case FIXED_WINDOW -> 2;
            case SLIDING_WINDOW -> 3;
            case SUB_WINDOWS -> 4;
            case LOG -> 5;
            case PERMITS -> 6;
            case PERMIT_LEVELS -> 7;
        };
    }

    private int slot(Meter meter, int mode) {
        int mask = table.length - 1;
        int slot = System.identityHashCode(meter) & mask;
        while (table[slot] != 0) {
            int found = table[slot] - 1;
            if (meters[found] == meter && modes[found] == mode) {
                break;
            }
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        int capacity = meters.length * 2;
        meters = Arrays.copyOf(meters, capacity);
        modes = Arrays.copyOf(modes, capacity);
        table = new int[capacity * 2];
        for (int i = 0; i < size; i++) {
            Meter meter = meters[i];
            if (meter != null) {
                table[slot(meter, modes[i])] = i + 1;
            }
        }
    }
}
