package dev.weir.control.decisions;

import dev.weir.Request;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.runtime.DaemonThreads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes decisions down, a line a check: one request in so many, and whatever was over its limit.
 *
 * <p><b>Cost.</b> The thread that decided copies the request into a place of a bounded ring and goes on; it never waits, never
 * wakes anybody, and allocates nothing once the places have grown. A full ring drops, and counts. One thread of the sink finds
 * the counter anew, makes text of it and hands that to files and Kafka.
 */
public final class DecisionSink implements LimiterObserver, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DecisionSink.class.getName());
    /** How long the sink's thread rests when there is nothing: the default ring takes 800,000 requests a second meanwhile. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long CLOSING_MILLIS = 3_000;

    /** The rules in force, and those before: a decision under way during a change may still carry rules of these. */
    private record Generation(
            @Nullable RuleIndex now, @Nullable RuleIndex before) {
        @Nullable
        RuleIndex of(MutableDecision decision) {
            Rule rule = decision.verdict(0).rule();
            return rule == null || now == null || isOf(now, rule) ? now : before;
        }

        private static boolean isOf(RuleIndex rules, Rule rule) {
            int ordinal = rule.ordinal();
            return ordinal >= 0
                    && ordinal < rules.rules().size()
                    && rules.rules().get(ordinal) == rule;
        }
    }

    private final int sample;
    private final boolean denials;
    private final DecisionRing ring;
    private final List<Outlet> outlets;
    private final DecisionLineWriter writer;
    private final Thread thread;
    private final LongAdder full = new LongAdder();
    private final LongAdder cut = new LongAdder();
    private volatile Generation generation = new Generation(null, null);
    private volatile boolean closing;

    /**
     * Starts writing as {@code settings}, which are on, say.
     *
     * @throws IllegalArgumentException if the properties for Kafka cannot be
     */
    public DecisionSink(DecisionSinkSettings settings) {
        this(settings, outlets(settings));
    }

    DecisionSink(DecisionSinkSettings settings, List<Outlet> outlets) {
        this.sample = settings.sample();
        this.denials = settings.denials();
        this.ring = new DecisionRing(settings.buffer());
        this.outlets = List.copyOf(outlets);
        this.writer = new DecisionLineWriter(settings);
        this.thread = DaemonThreads.create("weir-decisions", this::run);
        thread.start();
    }

    private static List<Outlet> outlets(DecisionSinkSettings settings) {
        List<Outlet> outlets = new ArrayList<>();
        if (settings.file() != null) {
            outlets.add(new FileOutlet(settings.file(), System::currentTimeMillis));
        }
        if (settings.kafka() != null) {
            outlets.add(new KafkaOutlet(settings.kafka(), settings.node()));
        }
        return outlets;
    }

    /** Tells which rules decide from now on; to be called before they do. */
    public void rules(RuleIndex next) {
        generation = new Generation(next, generation.now());
    }

    @Override
    public void decided(Request request, MutableDecision decision) {
        if (decision.size() == 0) {
            return;
        }
        boolean sampled =
                sample == 1 || (sample > 1 && ThreadLocalRandom.current().nextInt(sample) == 0);
        if (sampled || (denials && hasDenial(decision))) {
            take(request, decision, !sampled);
        }
    }

    private static boolean hasDenial(MutableDecision decision) {
        for (int i = 0, checks = decision.size(); i < checks; i++) {
            if (!decision.verdict(i).allowed()) {
                return true;
            }
        }
        return false;
    }

    private void take(Request request, MutableDecision decision, boolean deniedOnly) {
        long place = ring.claim();
        if (place < 0) {
            full.increment();
            return;
        }
        try {
            int left = ring.at(place).take(request, decision, deniedOnly, generation.of(decision));
            if (left > 0) {
                cut.add(left);
            }
        } finally {
            ring.publish(place);
        }
    }

    private void run() {
        while (true) {
            boolean last = closing;
            RecordedDecision taken = ring.peek();
            if (taken != null) {
                write(taken);
                ring.release();
            } else {
                outlets.forEach(Outlet::pause);
                if (last) {
                    outlets.forEach(Outlet::close);
                    return;
                }
                LockSupport.parkNanos(this, REST_NANOS);
            }
        }
    }

    private void write(RecordedDecision taken) {
        for (int i = 0; i < taken.size; i++) {
            try {
                DecisionLine line = writer.write(taken, i);
                for (Outlet each : outlets) {
                    each.write(line);
                }
            } catch (RuntimeException e) {
                // One decision that cannot be written must not be the end of all others.
                cut.increment();
                LOG.log(System.Logger.Level.ERROR, "A decision could not be written down", e);
            }
        }
    }

    /** Lines that got where they belong, by {@code file} and {@code kafka}, as far as there is one. */
    public Map<String, Long> written() {
        return each(Outlet::written);
    }

    /** Lines that could not be delivered. */
    public Map<String, Long> dropped() {
        return each(Outlet::dropped);
    }

    private Map<String, Long> each(ToLongFunction<Outlet> count) {
        Map<String, Long> counts = new LinkedHashMap<>();
        outlets.forEach(each -> counts.put(each.name(), count.applyAsLong(each)));
        return counts;
    }

    /** Requests that nobody wrote down, because the ring was full. */
    public long full() {
        return full.sum();
    }

    /** Checks left out of requests that had more of them than a place holds. */
    public long cut() {
        return cut.sum();
    }

    /** Writes what is there, for a few seconds at most. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        try {
            thread.join(CLOSING_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
