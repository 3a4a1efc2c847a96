package dev.weir.server.bench;

import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/** The answers to one connection. Its event loop writes it, another thread reads it. */
final class LoadTally {
    /** The answers of a service, by kind. */
    enum Answer {
        ALLOWED,
        DENIED,
        ERROR
    }

    private final SingleWriterRecorder latencies = LoadConnection.recorder();
    private final AtomicReference<@Nullable String> problem = new AtomicReference<>();
    private volatile long allowed;
    private volatile long denied;
    private volatile long errors;

    @SuppressWarnings("NonAtomicVolatileUpdate") // a single writer
    void add(Answer answer, long micros) {
        switch (answer) {
            case ALLOWED -> allowed++;
            case DENIED -> denied++;
            case ERROR -> errors++;
        }
        if (answer != Answer.ERROR) {
            latencies.recordValue(Math.max(0, micros));
        }
    }

    /** Records that {@code requests} will never be answered. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // a single writer
    void lost(int requests, String why) {
        errors += Math.max(1, requests);
        problem.compareAndSet(null, why);
    }

    /** Records a request that was due and could not be sent in time. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // a single writer
    void unsent(long micros) {
        errors++;
        latencies.recordValue(micros);
        problem.compareAndSet(null, "requests were due that could not be sent: the service is too slow for this rate");
    }

    long allowed() {
        return allowed;
    }

    long denied() {
        return denied;
    }

    long errors() {
        return errors;
    }

    @Nullable
    String problem() {
        return problem.get();
    }

    /** Adds the latencies since the last call to {@code to}. */
    void drainTo(Histogram to) {
        to.add(latencies.getIntervalHistogram());
    }
}
