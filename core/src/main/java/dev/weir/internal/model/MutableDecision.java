package dev.weir.internal.model;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.Verdict;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a request: its verdicts, the binding one, and whether it may pass. Like {@link Request}, a buffer that a
 * server fills again and again; whoever asks the library gets a fresh one each time.
 */
public final class MutableDecision implements Decision {
    private MutableVerdict[] verdicts = new MutableVerdict[0];
    private int size;
    private boolean allowed = true;
    private int binding = -1;
    private long nowMicros;
    private long askedMicros;
    private boolean repeated;
    private boolean conflict;
    private @Nullable String counterText;
    private @Nullable String counterBucket;

    /** Starts over for a request decided at {@code nowMicros}. */
    public void begin(long nowMicros) {
        this.nowMicros = nowMicros;
        askedMicros = nowMicros;
        size = 0;
        allowed = true;
        binding = -1;
        repeated = false;
        conflict = false;
        counterText = null;
        counterBucket = null;
    }

    /** The next verdict to fill. */
    public MutableVerdict add() {
        if (size == verdicts.length) {
            verdicts = Arrays.copyOf(verdicts, Math.max(1, size * 2));
        }
        if (verdicts[size] == null) {
            verdicts[size] = new MutableVerdict();
        }
        return verdicts[size++];
    }

    /** Closes the decision, and finds the verdict that speaks for it. */
    public void end(boolean allowed) {
        int found = -1;
        for (int i = 0; i < size; i++) {
            if (found < 0 || verdicts[i].bindsBefore(verdicts[found])) {
                found = i;
            }
        }
        end(allowed, found);
    }

    /** Closes the decision: {@code binding} is the index of the verdict that speaks for it, or -1. */
    public void end(boolean allowed, int binding) {
        this.allowed = allowed;
        this.binding = binding;
    }

    /** Whether the request may pass. */
    @Override
    public boolean allowed() {
        return allowed;
    }

    /** Whether a failure policy had a part in it: a store did not answer for one of the checks. */
    @Override
    public boolean degraded() {
        for (int i = 0; i < size; i++) {
            if (verdicts[i].degraded()) {
                return true;
            }
        }
        return false;
    }

    /**
     * How long the caller is to wait before it goes on: as long as the slowest shaper that it met asks for, whichever verdict is
     * binding. 0 for what is denied, and rules that only watch ask for nothing.
     */
    public long delayMicros() {
        long longest = 0;
        for (int i = 0; i < size && allowed; i++) {
            if (!verdicts[i].shadow()) {
                longest = Math.max(longest, verdicts[i].delayMicros());
            }
        }
        return longest;
    }

    /** {@link #delayMicros}. */
    @Override
    public Duration delay() {
        return Duration.ofNanos(delayMicros() * 1_000);
    }

    /** Whether this is the answer to an earlier request with the same idempotency key: nothing was charged now. */
    public boolean repeated() {
        return repeated;
    }

    /** Notes that the request was admitted before. */
    public void markRepeated() {
        repeated = true;
    }

    /** Whether the request's idempotency key was admitted for another request: nothing was charged, and there is no verdict. */
    public boolean conflict() {
        return conflict;
    }

    /** Notes that the key belongs to another request. */
    public void markConflict() {
        conflict = true;
    }

    /** Takes over everything that {@code other} says. */
    public void set(MutableDecision other) {
        begin(other.nowMicros);
        askedMicros = other.askedMicros;
        repeated = other.repeated;
        conflict = other.conflict;
        for (int i = 0; i < other.size; i++) {
            add().set(other.verdicts[i]);
        }
        end(other.allowed, other.binding);
        nameCounter(other.counterText, other.counterBucket);
    }

    /** How many checks the request met. */
    public int size() {
        return size;
    }

    public MutableVerdict verdict(int index) {
        return verdicts[index];
    }

    /** The verdict that {@linkplain MutableVerdict#bindsBefore speaks} for the decision; null without checks. */
    @Override
    public @Nullable MutableVerdict binding() {
        return binding < 0 ? null : verdicts[binding];
    }

    @Override
    public List<Verdict> verdicts() {
        return List.of(Arrays.copyOf(verdicts, size));
    }

    /** Names the counter of the binding verdict. */
    public void nameCounter(@Nullable String text, @Nullable String bucket) {
        counterText = text;
        counterBucket = bucket;
    }

    @Override
    public @Nullable String counterName() {
        return counterText;
    }

    /** An id of that counter, the same in every process; null where {@link #counterName} is. */
    public @Nullable String counterBucket() {
        return counterBucket;
    }

    /** Notes that the decision was asked for earlier than it was made. */
    public void asked(long micros) {
        askedMicros = micros;
    }

    /** When it was asked for, microseconds since the epoch. */
    public long askedMicros() {
        return askedMicros;
    }

    /** When it was decided, microseconds since the epoch. */
    public long nowMicros() {
        return nowMicros;
    }

    /** What was decided, and every verdict. */
    @Override
    public String toString() {
        return (allowed ? "allowed " : "denied ") + Arrays.asList(verdicts).subList(0, size);
    }
}
