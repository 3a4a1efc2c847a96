package dev.weir.control.relay;

import dev.weir.internal.runtime.FleetSecret;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The notes of one kind on a relay, signed with the fleet's secret if there is one. Logs once when the relay begins to
 * fail, and once when it works again.
 */
public final class SignedRelay {
    private static final System.Logger LOG = System.getLogger(SignedRelay.class.getName());

    private final NoteRelay relay;
    private final @Nullable FleetSecret secret;
    private final String kind;
    private final String what;
    private volatile boolean failed;

    /**
     * @param secret null: notes are not signed
     * @param kind the kind that the signature covers
     * @param what the notes, for people, such as {@code bans}
     */
    public SignedRelay(NoteRelay relay, @Nullable FleetSecret secret, String kind, String what) {
        this.relay = relay;
        this.secret = secret;
        this.kind = kind;
        this.what = what;
    }

    /** Returns whether notes are signed, so that a reader knows who has written them. */
    public boolean isSigned() {
        return secret != null;
    }

    /** Returns whether the last call to the relay failed. */
    public boolean failed() {
        return failed;
    }

    /** Reads all notes, by id; null if nothing is new or the relay fails. */
    public @Nullable Map<String, String> read() {
        try {
            Map<String, String> notes = relay.read();
            reached(true, "");
            return notes;
        } catch (IOException e) {
            failed(e);
            return null;
        }
    }

    /** Returns the content of a note, and whether its signature holds. */
    public FleetSecret.Note open(String id, String note) {
        return FleetSecret.read(secret, kind, id, note);
    }

    /** Posts a note, as {@link NoteRelay#post} does. */
    public void post(String id, long stamp, String content, boolean replace) throws IOException {
        relay.post(id, stamp, secret == null ? content : secret.sign(kind, id, stamp, content), replace);
    }

    /** Deletes a note, as {@link NoteRelay#delete} does. */
    public void delete(String id, long stamp) throws IOException {
        relay.delete(id, stamp);
    }

    /** Takes notice of a call that failed. */
    public void failed(IOException e) {
        reached(false, String.valueOf(e.getMessage()));
    }

    private void reached(boolean now, String why) {
        if (failed == now) {
            failed = !now;
            LOG.log(
                    now ? Level.INFO : Level.WARNING,
                    now
                            ? what + " are passed on through Redis again"
                            : what + " cannot be passed on through Redis: " + why + "; those that are known hold");
        }
    }
}
