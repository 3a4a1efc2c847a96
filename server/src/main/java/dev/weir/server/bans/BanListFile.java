package dev.weir.server.bans;

import dev.weir.internal.ban.AddressList;
import dev.weir.internal.ban.BanSet;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.model.Ban;
import dev.weir.server.settings.Settings;
import dev.weir.text.message.FileErrors;
import dev.weir.text.message.PrintableText;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * A list of addresses in a file: one address or block a line; {@code #} or {@code ;} starts a comment. If the file gets
 * an error, the last good list stays. Used by one thread at a time, except for {@link #set}.
 */
final class BanListFile {
    private static final System.Logger LOG = System.getLogger(BanListFile.class.getName());
    private static final long MOST_BYTES = 100 << 20;
    private static final int MOST_LINES = 1_000_000;
    private static final int LONGEST_LINE = 1_024;

    private final Settings.BanList setting;
    private volatile BanSet set;
    private volatile boolean current = true;
    /** The file as it was last read, and as it was last seen: one that still changes is not read. */
    private Stamp read;

    private Stamp seen;

    /** What tells one version of a file from another. */
    private record Stamp(
            long bytes, FileTime modified, @Nullable Object key) {
        static final Stamp NONE = new Stamp(-1, FileTime.fromMillis(0), null);

        static Stamp of(Path file) {
            try {
                BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
                return new Stamp(now.size(), now.lastModifiedTime(), now.fileKey());
            } catch (IOException e) {
                return NONE;
            }
        }
    }

    /**
     * Reads the file for the first time.
     *
     * @throws IOException if it cannot be read, or a line is wrong; the message is for people
     */
    BanListFile(Settings.BanList setting) throws IOException {
        this.setting = setting;
        this.seen = Stamp.of(setting.file());
        this.read = seen;
        this.set = load();
    }

    /** The addresses of the last good file. */
    BanSet set() {
        return set;
    }

    /** Whether the addresses are those of the file as it is. */
    boolean isCurrent() {
        return current;
    }

    String name() {
        return setting.file().toString();
    }

    /** Reads the file if it has changed and is not being written; returns whether the addresses are new. */
    boolean poll() {
        Stamp now = Stamp.of(setting.file());
        boolean settled = now.equals(seen);
        seen = now;
        if (!settled || now.equals(read)) {
            return false;
        }
        read = now;
        try {
            set = load();
            current = true;
            LOG.log(Level.INFO, "ban list: " + name() + ": " + set.size() + " addresses and blocks");
            return true;
        } catch (IOException e) {
            current = false;
            LOG.log(Level.ERROR, e.getMessage() + "; the last good list stays in force");
            return false;
        }
    }

    private BanSet load() throws IOException {
        Path file = setting.file();
        AddressList addresses = new AddressList();
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new IOException(file + ": more than 100 MB (expected: one address or block a line)");
            }
            try (BufferedReader lines = Files.newBufferedReader(file)) {
                int number = 0;
                for (String each = lines.readLine(); each != null; each = lines.readLine()) {
                    if (++number > MOST_LINES) {
                        throw new IOException(file + ": more than " + MOST_LINES + " lines");
                    }
                    add(each, number, addresses);
                }
            }
        } catch (CharacterCodingException e) {
            throw new IOException(file + ": not text in UTF-8 (expected: one address or block a line)", e);
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            throw message.startsWith(file + ":") ? e : new IOException(FileErrors.what(e), e);
        }
        String list = file.getFileName() == null ? name() : String.valueOf(file.getFileName());
        Ban owner = new Ban(setting.kind(), "ip", list, "", Ban.FOREVER, "", "list " + list, false);
        return BanSet.ofAddresses(owner, addresses);
    }

    private void add(String line, int number, AddressList into) throws IOException {
        int comment = line.indexOf('#') < 0 ? line.indexOf(';') : line.indexOf('#');
        String text = (comment < 0 ? line : line.substring(0, comment)).strip();
        if (text.isEmpty()) {
            return;
        }
        try {
            into.add(Cidr.parse(text));
        } catch (IllegalArgumentException e) {
            String shown = text.length() > LONGEST_LINE ? text.substring(0, LONGEST_LINE) : text;
            throw new IOException(
                    setting.file() + ":" + number + ": " + PrintableText.quote(shown)
                            + " (expected: an address or a block, such as 192.0.2.0/24)",
                    e);
        }
    }
}
