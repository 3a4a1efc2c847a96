package dev.weir.control.source;

import java.io.IOException;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Writes the copy of one source's last rules, if there is a folder. Failed writes are retried. */
final class SourceCopyWriter {
    private static final System.Logger LOG = System.getLogger(SourceCopyWriter.class.getName());

    private final String label;
    private final @Nullable SourceCopy copy;
    private @Nullable SourceSnapshot unsaved;
    private volatile boolean failureLogged;

    SourceCopyWriter(String label, @Nullable SourceCopy copy) {
        this.label = label;
        this.copy = copy;
    }

    /** Reads the copy; null if there is none. */
    SourceCopy.@Nullable Contents load() throws IOException {
        return copy == null ? null : copy.load();
    }

    /** Sets the documents that the next {@link #save} writes. */
    synchronized void keep(SourceSnapshot documents) {
        unsaved = documents;
    }

    /** Writes the documents if they have changed. */
    void save() {
        SourceSnapshot documents = takeUnsaved();
        if (copy == null || documents == null) {
            return;
        }
        try {
            copy.save(documents);
            failureLogged = false;
        } catch (IOException | RuntimeException e) {
            restoreUnsaved(documents);
            if (!failureLogged) {
                LOG.log(Level.ERROR, "the copy of the rules of " + label + " cannot be written: " + e);
            }
            failureLogged = true;
        }
    }

    private synchronized @Nullable SourceSnapshot takeUnsaved() {
        SourceSnapshot taken = unsaved;
        unsaved = null;
        return taken;
    }

    private synchronized void restoreUnsaved(SourceSnapshot documents) {
        if (unsaved == null) {
            unsaved = documents;
        }
    }
}
