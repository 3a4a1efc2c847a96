package dev.weir.internal.runtime;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts the notes of other servers that were not followed, by reason, and logs at most one line a minute for each. */
public final class RejectedNotes {
    private static final System.Logger LOG = System.getLogger(RejectedNotes.class.getName());
    private static final long QUIET_NANOS = Duration.ofMinutes(1).toNanos();

    /** The reason why a note was not followed. */
    public enum Reason {
        /** It has no signature, and this server has a secret. */
        UNSIGNED("they are not signed: start every server with the same fleet_secret; if all have it, somebody else"
                + " writes to Redis"),
        /** Its signature is wrong. */
        FORGED("their signature is wrong: somebody else writes to Redis (restrict who may)"),
        /** It is signed with a secret that this server does not have. */
        OTHER_SECRET("they are signed with another secret: give all servers the same fleet_secret (while it is"
                + " replaced, both: NEW,OLD)"),
        /** It is too old or too far ahead, or was read before. */
        STALE("they are too old, too far ahead or repeated: compare the clocks of the servers; if they agree, somebody"
                + " else writes to Redis"),
        /** It is not signed, no server has a secret, and the database contradicts it. */
        UNVERIFIED("they are not in the database, and without fleet_secret they hold only while the database is"
                + " unreachable");

        private final String cure;

        Reason(String cure) {
            this.cure = cure;
        }

        /** The label value in metrics. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        private static Reason of(FleetSecret.Trust trust) {
            return switch (trust) {
                case UNSIGNED -> UNSIGNED;
                case OTHER_SECRET -> OTHER_SECRET;
                case FORGED, VERIFIED -> FORGED;
            };
        }
    }

    private final String kind;
    private final LongSupplier nanos;
    private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);
    private final Map<Reason, AtomicLong> quietUntil = new EnumMap<>(Reason.class);

    /** Counts notes of {@code kind}: a noun in the plural, which is also the label in metrics. */
    public RejectedNotes(String kind) {
        this(kind, System::nanoTime);
    }

    RejectedNotes(String kind, LongSupplier nanos) {
        this.kind = kind;
        this.nanos = nanos;
        for (Reason each : Reason.values()) {
            counts.put(each, new LongAdder());
            quietUntil.put(each, new AtomicLong(nanos.getAsLong()));
        }
    }

    /** The label of these notes in metrics. */
    public String kind() {
        return kind;
    }

    /** Counts a note that cannot be trusted. */
    public void count(FleetSecret.Trust trust, String subject) {
        count(Reason.of(trust), subject);
    }

    /** Counts a note that was not followed. {@code subject} names it in the log. */
    public void count(Reason reason, String subject) {
        LongAdder adder = counts.get(reason);
        AtomicLong quiet = quietUntil.get(reason);
        if (adder == null || quiet == null) {
            throw new IllegalStateException(reason.name());
        }
        adder.increment();
        long now = nanos.getAsLong();
        long until = quiet.get();
        if (now - until >= 0 && quiet.compareAndSet(until, now + QUIET_NANOS)) {
            LOG.log(
                    Level.WARNING,
                    kind + " in Redis are ignored, such as " + subject.replaceAll("[^ -~]", "?") + ": " + reason.cure
                            + " (" + adder.sum() + " so far; see SECURITY.md)");
        }
    }

    /** How many notes were not followed for {@code reason}. */
    public long of(Reason reason) {
        LongAdder adder = counts.get(reason);
        return adder == null ? 0 : adder.sum();
    }
}
