package dev.weir.server.lifecycle;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;

/** Closes what was opened, in reverse order. A component that fails to close does not keep the others open. */
public final class CloseStack implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(CloseStack.class.getName());

    private final Deque<AutoCloseable> all = new ArrayDeque<>();

    public <T extends AutoCloseable> T add(T opened) {
        all.push(opened);
        return opened;
    }

    @Override
    public void close() {
        while (!all.isEmpty()) {
            try {
                all.pop().close();
            } catch (Exception e) {
                LOG.log(Level.WARNING, "a component failed to close: " + e);
            }
        }
    }
}
