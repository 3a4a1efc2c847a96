package dev.weir.control.bans;

import dev.weir.control.data.PrivateFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The entries that this node knows, in a file of its data folder, so that they hold after a restart without database and
 * Redis. One change per line; a line that begins with {@code !} is not in the database yet.
 */
final class BanFile {
    /** The name of the file in the data folder. */
    static final String NAME = "bans.jsonl";

    private static final System.Logger LOG = System.getLogger(BanFile.class.getName());
    private static final String PENDING = "!";

    private final @Nullable Path file;

    /** The file in {@code folder}; without a folder nothing is kept. */
    BanFile(@Nullable Path folder) {
        this.file = folder == null ? null : folder.resolve(NAME);
    }

    /** Reads the changes, each with whether it is not in the database yet. A line that cannot be read is skipped. */
    Map<BanChange, Boolean> load() {
        Map<BanChange, Boolean> found = new HashMap<>();
        if (file == null || !Files.exists(file)) {
            return found;
        }
        int unreadable = 0;
        try {
            for (String each : Files.readAllLines(file)) {
                boolean pending = each.startsWith(PENDING);
                try {
                    found.put(BanJson.read(pending ? each.substring(1) : each), pending);
                } catch (IOException e) {
                    unreadable++;
                }
            }
        } catch (IOException e) {
            LOG.log(Level.ERROR, file + " cannot be read, so its bans are not in force: " + e.getMessage());
        }
        if (unreadable > 0) {
            LOG.log(Level.ERROR, file + ": " + unreadable + " lines cannot be read, so their bans are not in force");
        }
        return found;
    }

    /** Replaces the content. */
    void save(Collection<BanChange> all, Set<String> pending) throws IOException {
        if (file != null) {
            PrivateFile.replace(file, out -> {
                for (BanChange each : all) {
                    out.write((pending.contains(each.name().id()) ? PENDING : "") + BanJson.text(each) + "\n");
                }
            });
        }
    }
}
