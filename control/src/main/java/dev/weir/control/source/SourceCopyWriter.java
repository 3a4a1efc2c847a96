package dev.weir.control.source;

import java.io.IOException;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Keeps the last rules of one source for a restart without it, if there is anywhere to keep them. What fails is tried again. */
final class SourceCopyWriter {
    private static final System.Logger LOG = System.getLogger(SourceCopyWriter.class.getName());

    private final String label;
    private final @Nullable SourceCopy copy;
    private @Nullable SourceSnapshot unsaved;
    private volatile boolean saidUnsaved;

    SourceCopyWriter(String label, @Nullable SourceCopy copy) {
        this.label = label;
        this.copy = copy;
    }

    /** What was kept, or null if nothing was. */
    SourceCopy.@Nullable Kept load() throws IOException {
        return copy == null ? null : copy.load();
    }

    /** Has {@code documents} kept, when there is time. */
    synchronized void keep(SourceSnapshot documents) {
        unsaved = documents;
    }

    /** Writes what is to be kept, if that has changed. */
    void save() {
        SourceSnapshot documents = takeUnsaved();
        if (copy == null || documents == null) {
            return;
        }
        try {
            copy.save(documents);
            saidUnsaved = false;
        } catch (IOException | RuntimeException e) {
            keepUnlessNewer(documents);
            if (!saidUnsaved) {
                LOG.log(Level.ERROR, "the rules of " + label + " cannot be kept for a restart without it: " + e);
            }
            saidUnsaved = true;
        }
    }

    private synchronized @Nullable SourceSnapshot takeUnsaved() {
        SourceSnapshot taken = unsaved;
        unsaved = null;
        return taken;
    }

    private synchronized void keepUnlessNewer(SourceSnapshot documents) {
        if (unsaved == null) {
            unsaved = documents;
        }
    }
}
