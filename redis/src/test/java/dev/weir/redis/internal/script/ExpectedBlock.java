package dev.weir.redis.internal.script;

import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A log or sub-windows in Java's form, compared with Redis's bytes. */
final class ExpectedBlock {
    private static final int BITS = 20;
    private static final int MASK = (1 << BITS) - 1;

    private final Outcome ignored = new Outcome();
    private long[] memory = new long[0];

    /** Charges the hits of a decided group. */
    static void settle(Map<Long, ExpectedBlock> blocks, CheckGroup group, long now) {
        for (int i = 0; i < group.size(); i++) {
            Check check = group.get(i);
            if (check.meter instanceof BlockMeter meter) {
                boolean taken = check.outcome.allowed && !group.askOnly && (takes(group) || check.countsDenied);
                blocks.computeIfAbsent(check.key0, key -> new ExpectedBlock())
                        .settle(meter, taken ? check.hits : 0, now);
            }
        }
        for (int i = 0; i < group.size(); i++) {
            Check check = group.get(i);
            if (check.meter instanceof BlockMeter meter && check.granted > 0) {
                Objects.requireNonNull(blocks.get(check.key0)).settle(meter, check.granted, now);
            }
        }
    }

    private static boolean takes(CheckGroup group) {
        return group.allowed || group.size() == 1;
    }

    private void settle(BlockMeter meter, long hits, long now) {
        meter.ask(memory, 0, memory.length, now, hits, ignored);
        if (hits != 0) {
            int needed = meter.wordsToTake(memory, 0, memory.length, now, hits);
            memory = Arrays.copyOf(memory, Math.max(needed, memory.length));
            meter.take(memory, 0, memory.length, now, hits);
        }
    }

    /** Returns its contents: times of the hits inside the window, or time, part and counts. */
    List<Long> live(Check check, long now) {
        List<Long> numbers = new ArrayList<>();
        if (RandomHistory.meter(check).counting() == MeterKind.LOG && memory.length > 0 && memory[0] != 0) {
            int count = (int) memory[0] & MASK;
            int first = (int) (memory[0] >>> BITS) & MASK;
            int room = (int) (memory[0] >>> (2 * BITS));
            for (int i = 0; i < count; i++) {
                numbers.add(memory[1 + (first + i) % room]);
            }
        } else if (RandomHistory.meter(check).counting() == MeterKind.SUB_WINDOWS) {
            Arrays.stream(memory).forEach(numbers::add);
        }
        return meaning(numbers, check, now);
    }

    static List<Long> decode(byte[] value, Check check, long now) {
        List<Long> numbers = new ArrayList<>();
        if (value != null && RandomHistory.meter(check).counting() == MeterKind.LOG) {
            int room = (int) number(value, 7, 3);
            int first = (int) number(value, 10, 3);
            int count = (int) number(value, 13, 3);
            long before = number(value, 16, 2);
            for (int i = 0; i < count; i++) {
                int at = 18 + 9 * ((first + i) % room);
                long total = number(value, at + 7, 2);
                numbers.addAll(Collections.nCopies((int) (total - before & 0xFFFF), number(value, at, 7)));
                before = total;
            }
        } else if (value != null) {
            for (int at = 1; at < value.length; at += 7) {
                numbers.add(number(value, at, 7));
            }
        }
        return meaning(numbers, check, now);
    }

    private static List<Long> meaning(List<Long> numbers, Check check, long now) {
        if (RandomHistory.meter(check).counting() == MeterKind.LOG) {
            numbers.removeIf(
                    hit -> hit <= now - RandomHistory.meter(check).limit().windowMicros());
        }
        while (!numbers.isEmpty() && numbers.get(numbers.size() - 1) == 0) {
            numbers.remove(numbers.size() - 1);
        }
        return numbers;
    }

    private static long number(byte[] value, int at, int bytes) {
        byte[] word = new byte[8];
        System.arraycopy(value, at, word, 8 - bytes, bytes);
        return ByteBuffer.wrap(word).getLong();
    }
}
