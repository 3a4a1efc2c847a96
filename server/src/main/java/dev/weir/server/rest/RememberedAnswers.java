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
 * Answers kept for callers that ask again with the same idempotency key, so that a retry charges nothing. Only what let a
 * request pass is kept; a denial charged nothing and is decided anew.
 *
 * <p><b>Bounds.</b> It lives apart from the counters, so no flood of keys evicts one. A caller that exceeds its share pushes
 * out its own oldest answer; when all is full, the caller that asked least recently gives way. Callers and keys are known by their
 * hashes, so that an answer costs the same whatever its caller is called.
 *
 * <p><b>Fleets.</b> Here is what this process answered itself. Where a shared store counts, that store knows what every process
 * admitted, and is asked for what is not found here.
 *
 * <p><b>Concurrency.</b> A caller's answers live in one segment, whose lock is held to look and to keep, never while a request is
 * decided, for that may take a store's time. Whoever asks while the first with its key is being decided waits for what comes of
 * it, and so two requests with one key, at once on two threads, are one charge.
 */
final class RememberedAnswers {
    private static final int SEGMENTS = 16;

    /** Who asks; told once. */
    interface Asking {
        void answer(HttpAnswer answer);

        void fail(RuntimeException failure);
    }

    private record Hash(long high, long low) {
        static Hash of(byte[] bytes) {
            ByteBuffer both = ByteBuffer.wrap(bytes);
            return new Hash(both.getLong(), both.getLong());
        }
    }

    private record Kept(Hash fingerprint, long until, HttpAnswer answer) {}

    private record Asked(Hash caller, Hash key) {}

    /** A request that is being decided, for all who ask with its key meanwhile. */
    final class UnderWay {
        private final Segment segment;
        private final Asked asked;
        private final String key;
        private final Hash fingerprint;
        private final long now;
        private final List<Asking> all = new ArrayList<>(1);

        private UnderWay(Segment segment, Asked asked, String key, Hash fingerprint, long now) {
            this.segment = segment;
            this.asked = asked;
            this.key = key;
            this.fingerprint = fingerprint;
            this.now = now;
        }

        /** Runs {@code ending}, which tells what came of it; if that fails, so has this, for nobody else will ever end it. */
        void conclude(Runnable ending) {
            try {
                ending.run();
            } catch (RuntimeException e) {
                failed(e);
            }
        }

        /** What came of it, and whether the request passed; a denial is that of all who asked at once. */
        void decided(HttpAnswer answer, boolean admitted) {
            synchronized (segment) {
                if (!segment.underWay.remove(asked, this)) {
                    return;
                }
                if (admitted) {
                    keep(segment, asked, new Kept(fingerprint, now + keepMicros, answer), now);
                }
            }
            all.get(0).answer(answer);
            HttpAnswer again = admitted ? replayed(answer) : answer;
            all.subList(1, all.size()).forEach(each -> each.answer(again));
        }

        /** Another process answered it before: its store remembers, and this one need not. */
        void repeated(HttpAnswer answer) {
            if (end()) {
                all.forEach(each -> each.answer(replayed(answer)));
            }
        }

        /** Another process answered another request with this key. */
        void conflict() {
            failed(otherRequest(key));
        }

        private void failed(RuntimeException failure) {
            if (end()) {
                all.forEach(each -> each.fail(failure));
            }
        }

        /** Whether it had not ended before; nobody joins it any more. */
        private boolean end() {
            synchronized (segment) {
                return segment.underWay.remove(asked, this);
            }
        }
    }

    private static final class Segment {
        private final Map<Asked, UnderWay> underWay = new HashMap<>();
        /** Those who asked least recently first; of each, its oldest answer first, which is also the first to expire. */
        private final Map<Hash, Map<Hash, Kept>> callers = new LinkedHashMap<>(16, 0.75f, true);

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

    /**
     * Tells {@code asking} what {@code once} was answered before, marked as such; else what comes of {@code decide}. {@code key} is how
     * the caller spells its key.
     */
    void once(Idempotency once, String key, long now, Asking asking, Consumer<UnderWay> decide) {
        Asked asked = new Asked(Hash.of(once.caller()), Hash.of(once.key()));
        Hash fingerprint = Hash.of(once.fingerprint());
        Segment segment = segments[Math.floorMod(asked.caller.hashCode(), segments.length)];
        UnderWay first = null;
        Kept kept;
        synchronized (segment) {
            kept = kept(segment, asked, now);
            if (kept == null) {
                UnderWay other = segment.underWay.get(asked);
                if (other != null) {
                    requireSame(key, fingerprint, other.fingerprint);
                    other.all.add(asking);
                    return;
                }
                first = new UnderWay(segment, asked, key, fingerprint, now);
                first.all.add(asking);
                segment.underWay.put(asked, first);
            }
        }
        if (kept != null) {
            requireSame(key, fingerprint, kept.fingerprint);
            asking.answer(replayed(kept.answer));
        } else if (first != null) {
            UnderWay begun = first;
            begun.conclude(() -> decide.accept(begun));
        }
    }

    private static @Nullable Kept kept(Segment segment, Asked asked, long now) {
        Map<Hash, Kept> keys = segment.callers.get(asked.caller);
        Kept kept = keys == null ? null : keys.get(asked.key);
        return kept == null || kept.until <= now ? null : kept;
    }

    private static void requireSame(String key, Hash fingerprint, Hash before) {
        if (!fingerprint.equals(before)) {
            throw otherRequest(key);
        }
    }

    private static HttpProblemException otherRequest(String key) {
        return HttpProblemException.unprocessable("Idempotency-Key: " + CallerText.shown(key)
                + " came before with another request (expected: a new key for a new request)");
    }

    private static HttpAnswer replayed(HttpAnswer answer) {
        return answer.with("Idempotent-Replayed", "true");
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

    private void keep(Segment segment, Asked asked, Kept answer, long now) {
        Map<Hash, Kept> keys = segment.callers.computeIfAbsent(asked.caller, c -> new LinkedHashMap<>());
        // Taken out first, so that a key used anew after it expired goes to the end.
        if (keys.remove(asked.key) != null) {
            segment.size--;
        }
        while (!keys.isEmpty() && (keys.size() >= perCaller || oldest(keys).until <= now)) {
            dropOldest(segment, keys);
        }
        keys.put(asked.key, answer);
        segment.size++;
        makeRoom(segment, now);
    }

    private void makeRoom(Segment segment, long now) {
        Iterator<Map<Hash, Kept>> leastRecent = segment.callers.values().iterator();
        Map<Hash, Kept> keys = leastRecent.next();
        while (segment.size > perSegment || oldest(keys).until <= now) {
            dropOldest(segment, keys);
            if (keys.isEmpty()) {
                leastRecent.remove();
                keys = leastRecent.next();
            }
        }
    }

    private static Kept oldest(Map<Hash, Kept> keys) {
        return keys.values().iterator().next();
    }

    private static void dropOldest(Segment segment, Map<Hash, Kept> keys) {
        Iterator<Kept> values = keys.values().iterator();
        values.next();
        values.remove();
        segment.size--;
    }
}
