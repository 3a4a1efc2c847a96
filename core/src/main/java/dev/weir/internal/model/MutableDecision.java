package dev.weir.internal.model;

import dev.weir.Cause;
import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Verdict;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a request: its verdicts, the binding verdict, and whether the request may pass. Like {@link Request}
 * it is a buffer, which a server fills again and again; a caller of the library gets a fresh one each time.
 */
public final class MutableDecision implements Decision {
    private static final Permit NO_PERMIT = new Permit() {
        @Override
        public boolean isHeld() {
            return false;
        }

        @Override
        public CompletionStage<Boolean> renew() {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public void close() {}
    };

    private MutableVerdict[] verdicts = new MutableVerdict[0];
    private int size;
    private boolean allowed = true;
    private int binding = -1;
    private long nowMicros;
    private long askedMicros;
    private long storeMicros;
    private boolean repeated;
    private boolean conflict;
    /** Whether one of the following may be set. Few decisions have any, so the others do not pay for clearing them. */
    private boolean detailed;

    private @Nullable Ban ban;
    private @Nullable String counterText;
    private @Nullable String counterBucket;
    private @Nullable TakenPermits permits;
    private Permit permit = NO_PERMIT;

    /** Starts over for a request decided at {@code nowMicros}. */
    public void begin(long nowMicros) {
        this.nowMicros = nowMicros;
        askedMicros = nowMicros;
        storeMicros = 0;
        size = 0;
        allowed = true;
        binding = -1;
        repeated = false;
        conflict = false;
        if (detailed) {
            clearDetails();
        }
    }

    private void clearDetails() {
        detailed = false;
        ban = null;
        counterText = null;
        counterBucket = null;
        permits = null;
        permit = NO_PERMIT;
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

    /** Closes the decision, and finds the binding verdict. */
    public void end(boolean allowed) {
        int found = -1;
        for (int i = 0; i < size; i++) {
            if (found < 0 || BindingVerdict.isBefore(verdicts[i], verdicts[found])) {
                found = i;
            }
        }
        end(allowed, found);
    }

    /** Closes the decision; {@code binding} is the index of the binding verdict, or -1. */
    public void end(boolean allowed, int binding) {
        this.allowed = allowed;
        this.binding = binding;
    }

    /** Whether the request may pass. */
    @Override
    public boolean allowed() {
        return allowed;
    }

    /** The cause of the denial: a ban, or that of the binding verdict; null if the request may pass. */
    @Override
    public @Nullable Cause cause() {
        if (allowed) {
            return null;
        }
        if (ban != null) {
            return Cause.BANNED;
        }
        Cause cause = binding < 0 ? null : verdicts[binding].cause();
        return cause == null ? Cause.QUOTA : cause;
    }

    /** Records the entry that decided: a ban, or a shadow ban, with which the request passes. */
    public void ban(Ban entry) {
        ban = entry;
        detailed = true;
    }

    /** The ban or shadow ban that decided the request; null if no entry did. The caller must not see a shadow ban. */
    public @Nullable Ban ban() {
        return ban;
    }

    /** Whether the request passes only because of a shadow ban, which the upstream learns and the caller does not. */
    public boolean isShadowBanned() {
        return allowed && ban != null;
    }

    /** Whether a failure policy decided at least one check, because a store did not answer. */
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
     * How long the caller should wait before it proceeds: the longest delay that any shaper asks for, whichever verdict
     * is binding. 0 for a denied request; shadow rules ask for no delay.
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

    /** Records that the request has waited for its {@link #delayMicros}. */
    public void waited() {
        for (int i = 0; i < size; i++) {
            verdicts[i].waited();
        }
    }

    /** The {@link #delayMicros} as a duration. */
    @Override
    public Duration delay() {
        return Duration.ofNanos(delayMicros() * 1_000);
    }

    /** Whether this is the answer to an earlier request with the same idempotency key. Nothing was charged now. */
    public boolean repeated() {
        return repeated;
    }

    /** Records that the request was admitted before. */
    public void markRepeated() {
        repeated = true;
    }

    /** Whether the idempotency key was admitted for another request. Nothing was charged, and there is no verdict. */
    public boolean conflict() {
        return conflict;
    }

    /** Records that the idempotency key belongs to another request. */
    public void markConflict() {
        conflict = true;
    }

    /** Copies everything from {@code other}. */
    public void set(MutableDecision other) {
        begin(other.nowMicros);
        askedMicros = other.askedMicros;
        storeMicros = other.storeMicros;
        repeated = other.repeated;
        conflict = other.conflict;
        for (int i = 0; i < other.size; i++) {
            add().set(other.verdicts[i]);
        }
        end(other.allowed, other.binding);
        if (other.detailed) {
            setDetails(other);
        }
    }

    private void setDetails(MutableDecision other) {
        detailed = true;
        ban = other.ban;
        counterText = other.counterText;
        counterBucket = other.counterBucket;
        permits = other.permits;
        permit = other.permit;
    }

    /** Sets what the decision says of concurrency limits. */
    public void permits(TakenPermits taken) {
        permits = taken;
        detailed = true;
    }

    /** Records that nothing was taken, so that nothing is given back; the answer shows the permits all the same. */
    public void noneTaken() {
        permits = permits == null ? null : new TakenPermits(permits.held(), permits.unenforced(), 0);
    }

    /** The permits under concurrency limits; null if no rule in force limits concurrency. */
    public @Nullable TakenPermits permits() {
        return permits;
    }

    /** Sets the permit of a caller inside this process. */
    public void permit(Permit closeable) {
        permit = closeable;
        detailed = true;
    }

    @Override
    public Permit permit() {
        return permit;
    }

    /** The number of verdicts: one for each check of the request. */
    public int size() {
        return size;
    }

    public MutableVerdict verdict(int index) {
        return verdicts[index];
    }

    /** The {@linkplain BindingVerdict binding} verdict; null without checks. */
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
        detailed = true;
    }

    /**
     * The values that identify the counter of the {@link #binding} verdict, {@code api_key=abc}: escaped and truncated,
     * empty for a counter that all callers share. Null if nothing is counted, or the request did not
     * {@linkplain Request#nameCounter ask}.
     */
    @Override
    public @Nullable String counterName() {
        return counterText;
    }

    /** An id of that counter, the same in every process; null if {@link #counterName} is null. */
    public @Nullable String counterBucket() {
        return counterBucket;
    }

    /** Records that the decision was requested earlier than it was made. */
    public void asked(long micros) {
        askedMicros = micros;
    }

    /** Records the moment at which a shared store decided, by the store's own clock. */
    public void stored(long micros) {
        storeMicros = micros;
    }

    /** When a shared store decided, by its own clock; 0 if none did, or several. */
    public long storeMicros() {
        return storeMicros;
    }

    /** When the decision was requested, microseconds since the epoch. */
    public long askedMicros() {
        return askedMicros;
    }

    /** When the decision was made, microseconds since the epoch. */
    public long nowMicros() {
        return nowMicros;
    }

    /** The decision and every verdict, for people. */
    @Override
    public String toString() {
        Ban by = ban;
        if (by != null && !allowed) {
            return "denied (" + by.sentence() + ")";
        }
        String all = size == 0
                ? "(no rule applies)"
                : String.valueOf(Arrays.asList(verdicts).subList(0, size));
        return (allowed ? "allowed " : "denied ") + all;
    }
}
