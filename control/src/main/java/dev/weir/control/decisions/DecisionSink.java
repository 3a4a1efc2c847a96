package dev.weir.control.decisions;

import dev.weir.Request;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.model.MutableDecision;
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
 * Writes decisions, one line per check: one request in so many, and every check that was over its limit. A request that
 * met a ban is one line. If requests are recorded, each is a further line, which can be replayed.
 *
 * <p><b>Cost.</b> The deciding thread copies the request into a buffer of a bounded ring and goes on. It never waits,
 * never wakes a thread, and allocates nothing once the buffers have grown. If the ring is full, the decision is dropped
 * and counted. The sink's thread finds the counter again, formats the line and hands it to files and Kafka.
 */
public final class DecisionSink implements LimiterObserver, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DecisionSink.class.getName());
    /**
     * The pause of the sink's thread when the ring is empty: the default ring takes 800,000 requests a second
     * meanwhile.
     */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSING_MILLIS = 3_000;

    private final int sample;
    private final boolean denials;
    private final DecisionRing ring;
    private final List<Outlet> outlets;
    private final DecisionLineWriter writer;
    private final DecisionSinkSettings.Requests requests;
    private final @Nullable CallerSampling sampling;
    private final RequestLineWriter requestWriter;
    private final Thread thread;
    private final LongAdder full = new LongAdder();
    private final LongAdder cut = new LongAdder();
    private final LongAdder tooLarge = new LongAdder();
    /** The losses that each outlet was told of. */
    private final long[] toldLosses;

    private boolean started;
    private long tellAt = System.nanoTime();
    private int writes;
    private volatile RuleGenerations generations = RuleGenerations.NONE;
    private volatile boolean closing;

    /**
     * Starts writing; {@code settings} must be on.
     *
     * @throws IllegalArgumentException if the Kafka properties are invalid
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
        this.requests = settings.requests();
        this.sampling = requests == DecisionSinkSettings.Requests.SAMPLE
                ? new CallerSampling(Math.max(1, settings.sample()), settings.secret(), settings.plainAttributes())
                : null;
        this.requestWriter = new RequestLineWriter(settings, sampling);
        this.toldLosses = new long[outlets.size()];
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

    /** Sets the rules that decide from now on; to be called before they do. */
    public void rules(RuleIndex next) {
        generations = generations.next(next);
    }

    @Override
    public void decided(Request request, MutableDecision decision) {
        boolean asRequest = requests != DecisionSinkSettings.Requests.NONE && isRecorded(request);
        if (decision.size() == 0 && decision.ban() == null) {
            if (asRequest) {
                record(request, decision, false, false, true);
            }
            return;
        }
        boolean sampled =
                sample == 1 || (sample > 1 && ThreadLocalRandom.current().nextInt(sample) == 0);
        boolean checks = sampled || (denials && (decision.ban() != null || hasDenial(decision)));
        if (checks || asRequest) {
            record(request, decision, checks, !sampled, asRequest);
        }
    }

    private boolean isRecorded(Request request) {
        return !request.takesNothing() && (sampling == null || sampling.takes(request, generations.now()));
    }

    private static boolean hasDenial(MutableDecision decision) {
        for (int i = 0, checks = decision.size(); i < checks; i++) {
            if (!decision.verdict(i).allowed()) {
                return true;
            }
        }
        return false;
    }

    private void record(
            Request request, MutableDecision decision, boolean checks, boolean deniedOnly, boolean asRequest) {
        long position = ring.claim();
        if (position < 0) {
            full.increment();
            return;
        }
        try {
            RuleIndex rules = generations.of(decision);
            RecordedDecision recorded = ring.at(position);
            int left = asRequest
                    ? recorded.setRequest(request, decision, checks, deniedOnly, rules)
                    : recorded.set(request, decision, deniedOnly, rules);
            if (left > 0) {
                cut.add(left);
            }
            if (asRequest && !recorded.hasValues) {
                tooLarge.increment();
            }
        } finally {
            ring.publish(position);
        }
    }

    private void run() {
        while (true) {
            boolean last = closing;
            RecordedDecision recorded = ring.peek();
            if (recorded != null) {
                write(recorded);
                ring.release();
                if ((++writes & 0xfff) == 0) {
                    tellLosses(false);
                }
            } else {
                tellLosses(last);
                outlets.forEach(Outlet::pause);
                if (last) {
                    outlets.forEach(Outlet::close);
                    return;
                }
                LockSupport.parkNanos(this, IDLE_NANOS);
            }
        }
    }

    /**
     * Writes what was lost since the last time, because a replay is exact only if nothing was. At most once a second: while
     * the disk is full, this line is lost, too.
     */
    private void tellLosses(boolean last) {
        if (!started || (!last && System.nanoTime() - tellAt < 0)) {
            return;
        }
        for (int i = 0; i < outlets.size(); i++) {
            Outlet outlet = outlets.get(i);
            long requestsLost = full() + tooLarge.sum();
            long dropped = outlet.dropped();
            if (requestsLost + dropped > toldLosses[i]) {
                toldLosses[i] = requestsLost + dropped;
                tellAt = System.nanoTime() + TELL_NANOS;
                outlet.write(requestWriter.lost(wallMicros(), requestsLost, dropped));
            }
        }
    }

    private static long wallMicros() {
        return System.currentTimeMillis() * 1_000;
    }

    private void write(RecordedDecision recorded) {
        if (recorded.asRequest) {
            writeRequest(recorded);
        }
        for (int i = 0; i < recorded.size; i++) {
            try {
                DecisionLine line = recorded.ban == null ? writer.write(recorded, i) : writer.writeBan(recorded);
                deliver(line);
            } catch (RuntimeException e) {
                // A decision that cannot be written must not stop the others.
                cut.increment();
                LOG.log(System.Logger.Level.ERROR, "a decision could not be written to the decision sink", e);
            }
        }
    }

    private void writeRequest(RecordedDecision recorded) {
        try {
            if (!started) {
                started = true;
                deliver(requestWriter.started(recorded.askedMicros));
            }
            deliver(requestWriter.write(recorded));
        } catch (RuntimeException e) {
            cut.increment();
            LOG.log(System.Logger.Level.ERROR, "a request could not be written to the decision sink", e);
        }
    }

    private void deliver(DecisionLine line) {
        for (Outlet each : outlets) {
            each.write(line);
        }
    }

    /** Returns the number of delivered lines, by outlet ({@code file}, {@code kafka}). */
    public Map<String, Long> written() {
        return each(Outlet::written);
    }

    /** Returns the number of lines that could not be delivered, by outlet. */
    public Map<String, Long> dropped() {
        return each(Outlet::dropped);
    }

    private Map<String, Long> each(ToLongFunction<Outlet> count) {
        Map<String, Long> counts = new LinkedHashMap<>();
        outlets.forEach(each -> counts.put(each.name(), count.applyAsLong(each)));
        return counts;
    }

    /** Returns the number of requests that were dropped because the ring was full. */
    public long full() {
        return full.sum();
    }

    /** Returns the number of checks left out of requests with more checks than a buffer holds, and of requests too large to write. */
    public long cut() {
        return cut.sum();
    }

    /** Writes what is in the ring, for at most a few seconds. */
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
