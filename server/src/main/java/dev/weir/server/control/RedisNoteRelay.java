package dev.weir.server.control;

import dev.weir.control.relay.NoteRelay;
import dev.weir.redis.internal.notes.NoteReplies;
import dev.weir.redis.internal.notes.SharedNotes;
import dev.weir.redis.internal.store.RedisSharedStore;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Passes switches, or bans, between the servers that share a Redis. */
final class RedisNoteRelay implements NoteRelay {
    private final SharedNotes notes;
    /** The change count at the last read; at first a text that no count equals. */
    private volatile String seen = "unread";

    private RedisNoteRelay(SharedNotes notes) {
        this.notes = notes;
    }

    /** Keeps switches in {@code store}. */
    static NoteRelay ofSwitches(RedisSharedStore store) {
        return new RedisNoteRelay(store.notes("switches"));
    }

    /** Keeps bans in {@code store}. */
    static NoteRelay ofBans(RedisSharedStore store) {
        return new RedisNoteRelay(store.notes("bans"));
    }

    @Override
    public @Nullable Map<String, String> read() throws IOException {
        String count = NoteReplies.await(notes.count()).orElse("");
        if (count.equals(seen)) {
            return null;
        }
        Map<String, String> all = NoteReplies.await(notes.read());
        seen = count;
        return all;
    }

    @Override
    public void post(String id, long stamp, String text, boolean replace) throws IOException {
        NoteReplies.await(notes.post(id, stamp, text, replace ? seen : ""));
    }

    @Override
    public void delete(String id, long stamp) throws IOException {
        NoteReplies.await(notes.delete(id, stamp));
    }
}
