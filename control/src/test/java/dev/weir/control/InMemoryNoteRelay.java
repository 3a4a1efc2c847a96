package dev.weir.control;

import dev.weir.control.relay.NoteRelay;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * A relay that the nodes of one test share, and that can be made unreachable; the one in Redis is tested with the
 * server.
 */
public final class InMemoryNoteRelay implements NoteRelay {
    private final Map<String, String> texts = new HashMap<>();
    private final Map<String, Long> stamps = new HashMap<>();
    private boolean away;

    public synchronized void away(boolean now) {
        away = now;
    }

    /** Posts whatever it is. */
    public synchronized void scribble(String id, String text) {
        texts.put(id, text);
    }

    public synchronized Map<String, String> texts() {
        return Map.copyOf(texts);
    }

    @Override
    public synchronized Map<String, String> read() throws IOException {
        requireThere();
        return Map.copyOf(texts);
    }

    @Override
    public synchronized void post(String id, long stamp, String text, boolean replace) throws IOException {
        requireThere();
        if (replace || stamps.getOrDefault(id, Long.MIN_VALUE) < stamp) {
            stamps.put(id, stamp);
            texts.put(id, text);
        }
    }

    @Override
    public synchronized void delete(String id, long stamp) throws IOException {
        requireThere();
        if (stamps.getOrDefault(id, Long.MAX_VALUE) <= stamp) {
            stamps.remove(id);
            texts.remove(id);
        }
    }

    private void requireThere() throws IOException {
        if (away) {
            throw new IOException("the relay is away");
        }
    }
}
