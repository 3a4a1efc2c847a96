package dev.weir.server.topkeys;

import dev.weir.internal.model.Rule;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A bounded ring of checks that one thread fills and another empties; neither ever waits. */
final class CheckRing {
    /** Reads a check. */
    interface Reader {
        /**
         * Called for each check, in order.
         *
         * @param attempted hits that were used, and those that were denied on top
         * @param size the limit; 0 if there is none
         * @param weight how many such checks this one stands for
         */
        void check(Rule rule, long counter, long attempted, long size, boolean allowed, int weight);
    }

    private static final int WORDS = 4;
    private static final int ALLOWED = 1;
    private static final VarHandle TAIL;
    private static final VarHandle HEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(CheckRing.class, "tail", long.class);
            HEAD = lookup.findVarHandle(CheckRing.class, "head", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int mask;
    private final long[] words;
    private final @Nullable Rule[] rules;

    @SuppressWarnings("unused") // by TAIL
    private long tail;

    @SuppressWarnings("unused") // by HEAD
    private long head;

    /** The last head that the filling thread has seen. */
    private long seenHead;

    /** Creates a ring; {@code size} is a power of two. */
    CheckRing(int size) {
        mask = size - 1;
        words = new long[size * WORDS];
        rules = new Rule[size];
    }

    /** Adds a check; false if the ring is full. For the filling thread. */
    boolean add(Rule rule, long counter, long attempted, long size, boolean allowed, int weight) {
        long position = tail;
        if (position - seenHead > mask) {
            seenHead = (long) HEAD.getAcquire(this);
            if (position - seenHead > mask) {
                return false;
            }
        }
        int slot = (int) position & mask;
        int at = slot * WORDS;
        words[at] = counter;
        words[at + 1] = attempted;
        words[at + 2] = size;
        words[at + 3] = (long) weight << 1 | (allowed ? ALLOWED : 0);
        rules[slot] = rule;
        TAIL.setRelease(this, position + 1);
        return true;
    }

    /** Hands all checks to {@code reader}; returns how many there were. For the emptying thread. */
    int drain(Reader reader) {
        long from = head;
        long to = (long) TAIL.getAcquire(this);
        for (long position = from; position < to; position++) {
            int slot = (int) position & mask;
            int at = slot * WORDS;
            Rule rule = rules[slot];
            if (rule != null) {
                long flags = words[at + 3];
                reader.check(
                        rule, words[at], words[at + 1], words[at + 2], (flags & ALLOWED) != 0, (int) (flags >>> 1));
            }
        }
        HEAD.setRelease(this, to);
        return (int) (to - from);
    }

    static int bytes(int size) {
        return size * (WORDS * Long.BYTES + Integer.BYTES);
    }
}
