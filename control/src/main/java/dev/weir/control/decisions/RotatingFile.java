package dev.weir.control.decisions;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The file being written and those before it. When {@code decisions.jsonl} is full or old, it is renamed to {@code
 * decisions-20261116T053000.123Z.jsonl}, and the oldest renamed files are deleted. Only whole lines are written at a
 * time.
 */
final class RotatingFile implements AutoCloseable {
    private static final Pattern TIME = Pattern.compile("\\{\"time\":\"([^\"]{1,40})\"");
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final DecisionSinkSettings.File settings;
    private final Path path;
    private FileChannel channel;
    private @Nullable Object identity;
    private long size;
    /** The time of the first line. */
    private long since;

    private RotatingFile(DecisionSinkSettings.File settings, long now) throws IOException {
        this.settings = settings;
        this.path = settings.path().toAbsolutePath();
        Files.createDirectories(Objects.requireNonNull(path.getParent()));
        channel = open(now);
    }

    static RotatingFile open(DecisionSinkSettings.File settings, long now) throws IOException {
        return new RotatingFile(settings, now);
    }

    private FileChannel open(long now) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        FileChannel opened = FileChannel.open(path, options, forOwnersOnly());
        identity = identity();
        size = opened.size();
        since = size == 0 ? now : firstTime(now);
        if (size > 0 && !endsWithLine()) {
            // End a partial line that a crash has left.
            size += opened.write(ByteBuffer.wrap(new byte[] {'\n'}));
        }
        return opened;
    }

    /** Hides the file from other users, because lines show who was denied and when. */
    private FileAttribute<?>[] forOwnersOnly() {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----"))
                }
                : new FileAttribute<?>[0];
    }

    private long firstTime(long now) throws IOException {
        byte[] start = new byte[64];
        int read;
        try (FileChannel in = FileChannel.open(path)) {
            read = in.read(ByteBuffer.wrap(start));
        }
        Matcher time = TIME.matcher(new String(start, 0, Math.max(0, read), StandardCharsets.UTF_8));
        try {
            return time.find() ? Instant.parse(time.group(1)).toEpochMilli() : now;
        } catch (DateTimeParseException e) {
            return now;
        }
    }

    private boolean endsWithLine() throws IOException {
        ByteBuffer last = ByteBuffer.allocate(1);
        try (FileChannel in = FileChannel.open(path)) {
            in.read(last, in.size() - 1);
        }
        return last.get(0) == '\n';
    }

    /** Returns whether {@code more} bytes belong in a new file. */
    boolean isFull(long more) {
        return size > 0 && size + more > settings.size();
    }

    private boolean isOld(long now) {
        return size > 0 && now - since >= settings.age().toMillis();
    }

    /** Writes whole lines. */
    void write(ByteBuffer lines, long now) throws IOException {
        if (isOld(now) || isFull(lines.remaining())) {
            rotate(now);
        }
        since = size == 0 ? now : since;
        while (lines.hasRemaining()) {
            size += channel.write(lines);
        }
    }

    /** Starts a new file if this one is old, and reopens the path if somebody has moved the file away. */
    void rotateIfDue(long now) throws IOException {
        if (isOld(now)) {
            rotate(now);
        } else if (!Objects.equals(identity, identity())) {
            channel.close();
            channel = open(now);
        }
    }

    private @Nullable Object identity() throws IOException {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
                ? Files.readAttributes(path, BasicFileAttributes.class).fileKey()
                : "gone";
    }

    private void rotate(long now) throws IOException {
        channel.close();
        if (Files.exists(path)) {
            rename(now);
        }
        channel = open(now);
        prune();
    }

    private void rename(long now) throws IOException {
        for (long stamp = now; ; stamp++) {
            try {
                Files.move(
                        path, path.resolveSibling(stem() + "-" + STAMP.format(Instant.ofEpochMilli(stamp)) + ending()));
                return;
            } catch (FileAlreadyExistsException e) {
                // Two files in one millisecond: try the next.
            }
        }
    }

    private void prune() throws IOException {
        Pattern aside =
                Pattern.compile(Pattern.quote(stem()) + "-[0-9]{8}T[0-9]{6}\\.[0-9]{3}Z" + Pattern.quote(ending()));
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Objects.requireNonNull(path.getParent()))) {
            for (Path each : files) {
                if (aside.matcher(String.valueOf(each.getFileName())).matches()) {
                    found.add(each);
                }
            }
        }
        Collections.sort(found);
        for (Path each : found.subList(0, Math.max(0, found.size() - settings.kept()))) {
            Files.deleteIfExists(each);
        }
    }

    private String name() {
        return String.valueOf(path.getFileName());
    }

    private String stem() {
        int dot = name().lastIndexOf('.');
        return dot <= 0 ? name() : name().substring(0, dot);
    }

    private String ending() {
        return name().substring(stem().length());
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
