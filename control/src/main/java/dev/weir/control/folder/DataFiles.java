package dev.weir.control.folder;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.LastCommit;
import dev.weir.control.switches.SwitchJournal;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The open files of a server's data folder. Without a folder there is only the switch journal, in memory. */
public final class DataFiles implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DataFiles.class.getName());

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    public final @Nullable AuditFile audit;
    public final @Nullable LastCommit lastCommit;
    public final SwitchJournal journal;

    private DataFiles(@Nullable Path folder) throws IOException {
        try {
            if (folder != null) {
                opened.push(DataFolderLock.open(folder));
            }
            audit = folder == null ? null : AuditFile.open(folder);
            if (audit != null) {
                opened.push(audit);
            }
            lastCommit = folder == null ? null : LastCommit.open(folder);
            if (lastCommit != null) {
                opened.push(lastCommit);
            }
            journal = SwitchJournal.open(folder);
            opened.push(journal);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /**
     * Opens the files and locks the folder against other servers.
     *
     * @throws IOException if the folder cannot be used or another server holds it; the message is for people
     */
    public static DataFiles open(@Nullable Path folder) throws IOException {
        return new DataFiles(folder);
    }

    @Override
    public void close() {
        for (AutoCloseable each : opened) {
            try {
                each.close();
            } catch (Exception e) {
                LOG.log(Level.WARNING, "closing the data folder failed: " + e.getMessage());
            }
        }
    }
}
