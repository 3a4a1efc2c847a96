package dev.weir.server.stores;

import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.FleetSecret.Trust;
import dev.weir.internal.runtime.RejectedNotes;
import dev.weir.redis.internal.notes.SharedNotes;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The latest epoch of home that servers have noted in one Redis. With the fleet's secret, notes are signed; notes that
 * are unsigned or forged are ignored, counted and replaced.
 */
final class EpochNotes {
    private static final String KIND = "home";
    private static final String EPOCH = "epoch";
    /** In place of the time at which the home began, where a server notes the epoch in the Redis of another region. */
    private static final String ELSEWHERE = "elsewhere";

    private final SharedNotes notes;
    private final @Nullable FleetSecret secret;
    private final RejectedNotes rejected;
    /** The text that was read last if it was ignored; else empty. */
    private volatile String ignored = "";

    EpochNotes(SharedNotes notes, @Nullable FleetSecret secret, RejectedNotes rejected) {
        this.notes = notes;
        this.secret = secret;
        this.rejected = rejected;
    }

    /**
     * A noted epoch; 0 if there is none that can be trusted.
     *
     * @param since when its home began by that home's clock in microseconds; 0 if no home was before it, -1 if the note
     *     does not tell
     */
    record Noted(long epoch, long since) {
        static final Noted NONE = new Noted(0, -1);

        private static Noted of(String text) {
            String[] words = text.split(" ", 2);
            try {
                long since = words[1].equals(ELSEWHERE) ? -1 : Long.parseLong(words[1]);
                return new Noted(Long.parseLong(words[0]), since);
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException notOurs) {
                return NONE;
            }
        }
    }

    /** Redis's time, microseconds. */
    CompletionStage<Long> time() {
        return notes.time();
    }

    CompletionStage<Noted> read() {
        return notes.read().thenApply(this::judge);
    }

    private Noted judge(Map<String, String> texts) {
        String text = texts.get(EPOCH);
        if (text == null) {
            ignored = "";
            return Noted.NONE;
        }
        FleetSecret.Note note = FleetSecret.read(secret, KIND, EPOCH, text);
        if (secret != null && note.trust() != Trust.VERIFIED) {
            if (!text.equals(ignored)) {
                rejected.count(note.trust(), "the epoch of home");
            }
            ignored = text;
            return Noted.NONE;
        }
        ignored = "";
        return Noted.of(note.content());
    }

    /**
     * Notes the epoch of a home that began at {@code since}, unless one as late is noted; returns whether it did. A note
     * that is ignored is replaced, and one that does not tell when the home began by one that does.
     */
    CompletionStage<Boolean> post(long epoch, long since) {
        String text = epoch + " " + (since < 0 ? ELSEWHERE : String.valueOf(since));
        String signed = secret == null ? text : secret.sign(KIND, EPOCH, epoch, text);
        // The count keeps this from replacing what another server posts meanwhile.
        return notes.count()
                .thenCompose(count -> read().thenCompose(noted -> {
                    boolean replaces =
                            noted.epoch() == 0 || (noted.epoch() == epoch && noted.since() < 0 && since >= 0);
                    return notes.post(EPOCH, epoch, signed, replaces ? count.orElse("") : "");
                }));
    }
}
