package dev.weir.server.rest;

import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Answers kept for callers that ask again with the same idempotency key, so that a retry charges nothing. Only what let a
 * request pass is kept; a denial charged nothing and is decided anew.
 *
 * <p><b>Bounds.</b> It lives apart from the counters, so no flood of keys evicts one. A caller that exceeds its share pushes
 * out its own oldest answer; when all is full, the caller that asked least recently gives way.
 *
 * <p><b>Concurrency.</b> A caller's answers live in one segment, whose lock is held while its request is decided: two requests
 * with one key, at once on two threads, are one charge. Deciding is inline and takes well under a microsecond.
 */
final class RememberedAnswers {
    private static final int SEGMENTS = 16;

    /** Whose key it is: a caller means nothing outside its domain. */
    record Caller(String domain, String id) {}

    /** An answer, and whether it let the request pass. */
    record Decided(Answer answer, boolean admitted) {}

    private record Kept(String fingerprint, long until, Answer answer) {}

    private static final class Segment {
        /** Those who asked least recently first; of each, its oldest answer first, which is also the first to expire. */
        private final Map<Caller, Map<String, Kept>> callers = new LinkedHashMap<>(16, 0.75f, true);

        private int size;
    }

    private final Segment[] segments;
    private final int perCaller;
    private final int perSegment;
    private final long keepMicros;

    RememberedAnswers(RestSettings.Idempotency settings) {
        int parts = settings.total() >= SEGMENTS * 64 ? SEGMENTS : 1;
        this.segments = new Segment[parts];
        Arrays.setAll(segments, i -> new Segment());
        this.perSegment = Math.max(1, settings.total() / parts);
        this.perCaller = Math.max(1, Math.min(settings.perCaller(), perSegment));
        this.keepMicros = settings.keep().toNanos() / 1_000;
    }

    /** The answer that {@code key} got before, marked as such; else what {@code decide} says now. */
    Answer once(Caller caller, String key, String fingerprint, long now, Supplier<Decided> decide) {
        Segment segment = segments[Math.floorMod(caller.hashCode(), segments.length)];
        synchronized (segment) {
            Map<String, Kept> keys = segment.callers.get(caller);
            Kept kept = keys == null ? null : keys.get(key);
            if (kept != null && kept.until > now) {
                if (!kept.fingerprint.equals(fingerprint)) {
                    throw RestException.unprocessable("Idempotency-Key: " + Texts.shown(key)
                            + " came before with another request (expected: a new key for a new request)");
                }
                return kept.answer.with("Idempotent-Replayed", "true");
            }
            Decided decided = decide.get();
            if (decided.admitted) {
                keep(segment, caller, key, new Kept(fingerprint, now + keepMicros, decided.answer), now);
            }
            return decided.answer;
        }
    }

    /** How many answers are kept. */
    int size() {
        int size = 0;
        for (Segment segment : segments) {
            synchronized (segment) {
                size += segment.size;
            }
        }
        return size;
    }

    private void keep(Segment segment, Caller caller, String key, Kept answer, long now) {
        Map<String, Kept> keys = segment.callers.computeIfAbsent(caller, c -> new LinkedHashMap<>());
        // Taken out first, so that a key used anew after it expired goes to the end.
        if (keys.remove(key) != null) {
            segment.size--;
        }
        while (!keys.isEmpty() && (keys.size() >= perCaller || oldest(keys).until <= now)) {
            dropOldest(segment, keys);
        }
        keys.put(key, answer);
        segment.size++;
        makeRoom(segment, now);
    }

    private void makeRoom(Segment segment, long now) {
        Iterator<Map<String, Kept>> leastRecent = segment.callers.values().iterator();
        Map<String, Kept> keys = leastRecent.next();
        while (segment.size > perSegment || oldest(keys).until <= now) {
            dropOldest(segment, keys);
            if (keys.isEmpty()) {
                leastRecent.remove();
                keys = leastRecent.next();
            }
        }
    }

    private static Kept oldest(Map<String, Kept> keys) {
        return keys.values().iterator().next();
    }

    private static void dropOldest(Segment segment, Map<String, Kept> keys) {
        Iterator<Kept> values = keys.values().iterator();
        values.next();
        values.remove();
        segment.size--;
    }
}
