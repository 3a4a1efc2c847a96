package dev.weir.server.rest;

import dev.weir.internal.store.Idempotency;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Remembers answers for callers that retry with the same idempotency key, so that a retry charges nothing. Only answers
 * to admitted requests are remembered; a denial charged nothing, and a retry of it is decided again.
 *
 * <p><b>Bounds.</b> The answers are stored apart from the counters, so that a flood of keys evicts no counter. A caller
 * that exceeds its share evicts its own oldest answers. If all is full, the caller that called least recently loses its
 * answers. Both are bounded in number and in memory. Callers and keys are stored as hashes, so that they take the same
 * memory whatever their length.
 *
 * <p><b>Fleets.</b> This class knows only the answers of this process. A shared store knows what every process
 * admitted, and is asked if an answer is not found here.
 *
 * <p><b>Concurrency.</b> A caller's answers are in one segment. Its lock is held to look up and to store, but never
 * while a request is decided, which may take as long as a store. A caller that asks while the first request with its
 * key is being decided waits for that decision. So two concurrent requests with one key are charged once.
 */
final class RememberedAnswers {
    private static final int SEGMENTS = 16;
    /** The least memory of a segment if there are several; one caller may take half of it. */
    private static final long LEAST_SEGMENT = 2 << 20;
    /** About the memory of the hashes and table entries of an answer whose caller has no other. */
    private static final int OVERHEAD = 600;

    /** A caller that waits for an answer; called once. */
    interface Waiting {
        /** Called before it waits for somebody else's answer; false if it must not. */
        default boolean mayWait() {
            return true;
        }

        void answer(HttpAnswer answer);

        void fail(RuntimeException failure);
    }

    private record Hash(long high, long low) {
        static Hash of(byte[] bytes) {
            ByteBuffer both = ByteBuffer.wrap(bytes);
            return new Hash(both.getLong(), both.getLong());
        }
    }

    private record Remembered(Hash fingerprint, long until, HttpAnswer answer, int bytes) {}

    /** The answers to one caller, the oldest first, which also expires first. */
    private static final class CallerAnswers {
        private final Map<Hash, Remembered> keys = new LinkedHashMap<>();
        private long bytes;

        Remembered oldest() {
            return keys.values().iterator().next();
        }
    }

    private record CallerKey(Hash caller, Hash key) {}

    /** A request that is being decided, with all callers that have asked with its key meanwhile. */
    final class InFlight {
        private final Segment segment;
        private final CallerKey callerKey;
        private final String key;
        private final Hash fingerprint;
        private final long now;
        private final List<Waiting> all = new ArrayList<>(1);

        private InFlight(Segment segment, CallerKey callerKey, String key, Hash fingerprint, long now) {
            this.segment = segment;
            this.callerKey = callerKey;
            this.key = key;
            this.fingerprint = fingerprint;
            this.now = now;
        }

        /**
         * Runs {@code ending}, which must complete this request. If it throws, the request fails, because nothing else
         * would ever complete it.
         */
        void complete(Runnable ending) {
            try {
                ending.run();
            } catch (RuntimeException e) {
                failed(e);
            }
        }

        /** Answers all waiting callers. A denial is the answer to all of them. */
        void decided(HttpAnswer answer, boolean admitted) {
            synchronized (segment) {
                if (!segment.inFlight.remove(callerKey, this)) {
                    return;
                }
                if (admitted) {
                    int bytes = OVERHEAD + answer.bytes();
                    keep(segment, callerKey, new Remembered(fingerprint, now + keepMicros, answer, bytes), now);
                }
            }
            all.get(0).answer(answer);
            HttpAnswer again = admitted ? replayed(answer) : answer;
            all.subList(1, all.size()).forEach(each -> each.answer(again));
        }

        /** Answers with what another process answered before. The store remembers it, so this process need not. */
        void repeated(HttpAnswer answer) {
            if (end()) {
                all.forEach(each -> each.answer(replayed(answer)));
            }
        }

        /** Fails because another process answered a different request with this key. */
        void conflict() {
            failed(otherRequest(key));
        }

        private void failed(RuntimeException failure) {
            if (end()) {
                all.forEach(each -> each.fail(failure));
            }
        }

        /** Ends the request, so that no further caller joins it; returns whether it had not ended before. */
        private boolean end() {
            synchronized (segment) {
                return segment.inFlight.remove(callerKey, this);
            }
        }
    }

    private static final class Segment {
        private final Map<CallerKey, InFlight> inFlight = new HashMap<>();
        /** The callers, least recently seen first. */
        private final Map<Hash, CallerAnswers> callers = new LinkedHashMap<>(16, 0.75f, true);

        private int size;
        private long bytes;

        private void remove(CallerAnswers from, Hash key) {
            Remembered removed = from.keys.remove(key);
            if (removed != null) {
                size--;
                bytes -= removed.bytes;
                from.bytes -= removed.bytes;
            }
        }

        private void removeOldest(CallerAnswers from) {
            remove(from, from.keys.keySet().iterator().next());
        }
    }

    private final Segment[] segments;
    private final int perCaller;
    private final int perSegment;
    private final long bytesPerCaller;
    private final long bytesPerSegment;
    private final long keepMicros;

    RememberedAnswers(RestSettings.Idempotency settings) {
        int count = settings.total() >= SEGMENTS * 64
                ? (int) Math.max(1, Math.min(SEGMENTS, settings.bytes() / LEAST_SEGMENT))
                : 1;
        this.segments = new Segment[count];
        Arrays.setAll(segments, i -> new Segment());
        this.perSegment = Math.max(1, settings.total() / count);
        this.perCaller = Math.max(1, Math.min(settings.perCaller(), perSegment));
        this.bytesPerSegment = settings.bytes() / count;
        this.bytesPerCaller = bytesPerSegment / 2;
        this.keepMicros = settings.keep().toNanos() / 1_000;
    }

    /**
     * Answers {@code waiting} with the remembered answer to {@code once}, marked as replayed; else with the result of
     * {@code decide}. {@code key} is the key as the caller sent it.
     */
    void once(Idempotency once, String key, long now, Waiting waiting, Consumer<InFlight> decide) {
        CallerKey callerKey = new CallerKey(Hash.of(once.caller()), Hash.of(once.key()));
        Hash fingerprint = Hash.of(once.fingerprint());
        Segment segment = segments[Math.floorMod(callerKey.caller.hashCode(), segments.length)];
        InFlight first = null;
        Remembered remembered;
        synchronized (segment) {
            remembered = remembered(segment, callerKey, now);
            if (remembered == null) {
                InFlight other = segment.inFlight.get(callerKey);
                if (other != null) {
                    requireSame(key, fingerprint, other.fingerprint);
                    if (!waiting.mayWait()) {
                        throw HttpProblemException.unavailable("too many requests wait for an answer; try again");
                    }
                    other.all.add(waiting);
                    return;
                }
                first = new InFlight(segment, callerKey, key, fingerprint, now);
                first.all.add(waiting);
                segment.inFlight.put(callerKey, first);
            }
        }
        if (remembered != null) {
            requireSame(key, fingerprint, remembered.fingerprint);
            waiting.answer(replayed(remembered.answer));
        } else if (first != null) {
            InFlight started = first;
            started.complete(() -> decide.accept(started));
        }
    }

    private static @Nullable Remembered remembered(Segment segment, CallerKey callerKey, long now) {
        CallerAnswers caller = segment.callers.get(callerKey.caller);
        Remembered remembered = caller == null ? null : caller.keys.get(callerKey.key);
        return remembered == null || remembered.until <= now ? null : remembered;
    }

    private static void requireSame(String key, Hash fingerprint, Hash before) {
        if (!fingerprint.equals(before)) {
            throw otherRequest(key);
        }
    }

    private static HttpProblemException otherRequest(String key) {
        return HttpProblemException.unprocessable("Idempotency-Key: " + CallerText.shown(key)
                + " was used for a different request (expected: a new key for a new request)");
    }

    private static HttpAnswer replayed(HttpAnswer answer) {
        return answer.with("Idempotent-Replayed", "true");
    }

    /** The number of remembered answers. */
    int size() {
        int size = 0;
        for (Segment segment : segments) {
            synchronized (segment) {
                size += segment.size;
            }
        }
        return size;
    }

    /** The memory of the remembered answers. */
    long bytes() {
        long bytes = 0;
        for (Segment segment : segments) {
            synchronized (segment) {
                bytes += segment.bytes;
            }
        }
        return bytes;
    }

    private void keep(Segment segment, CallerKey callerKey, Remembered answer, long now) {
        CallerAnswers caller = segment.callers.computeIfAbsent(callerKey.caller, c -> new CallerAnswers());
        // Removed first, so that a key that is used again after it expired goes to the end.
        segment.remove(caller, callerKey.key);
        while (!caller.keys.isEmpty() && (isFull(caller, answer.bytes) || caller.oldest().until <= now)) {
            segment.removeOldest(caller);
        }
        caller.keys.put(callerKey.key, answer);
        caller.bytes += answer.bytes;
        segment.size++;
        segment.bytes += answer.bytes;
        makeRoom(segment, now);
    }

    private boolean isFull(CallerAnswers caller, int more) {
        return caller.keys.size() >= perCaller || caller.bytes + more > bytesPerCaller;
    }

    private void makeRoom(Segment segment, long now) {
        Iterator<CallerAnswers> leastRecent = segment.callers.values().iterator();
        CallerAnswers caller = leastRecent.next();
        while (isFull(segment) || caller.oldest().until <= now) {
            segment.removeOldest(caller);
            if (caller.keys.isEmpty()) {
                leastRecent.remove();
                caller = leastRecent.next();
            }
        }
    }

    /** Whether there is too much in {@code segment}; one answer is kept however long it is. */
    private boolean isFull(Segment segment) {
        return segment.size > perSegment || (segment.bytes > bytesPerSegment && segment.size > 1);
    }
}
