package dev.weir.server.replay.input;

import dev.weir.control.decisions.IdentityHash;
import dev.weir.text.message.PrintableText;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads recorded traffic from several files at once, in the order of time. The lines of one file keep their order.
 *
 * <h2>Time</h2>
 *
 * <p>Decisions of a shared store have the store's own time. A denial that a server repeated without asking has only the
 * server's. It is moved by the smallest difference between both clocks that the server's other lines show: the denial
 * was repeated before the store could have allowed the request, and so it is on the store's clock.
 */
public final class TrafficInput implements Closeable {
    /** The name of standard input. */
    public static final String STANDARD_INPUT = "<stdin>";

    private static final int MOST_PROBLEMS = 5;
    private static final int PEEKED = 1 << 12;

    private final String format;
    private final AttributeMapping mapping;
    private final PriorityQueue<TrafficFile> heads;
    private final List<TrafficFile> open = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final Map<String, Long> clockOffsets = new HashMap<>();
    private final Map<String, Long> losses = new HashMap<>();
    private final Set<String> started = new HashSet<>();
    private final Set<String> unstarted = new HashSet<>();
    private final Set<String> memoryNodes = new HashSet<>();
    private final Set<String> hashes = new HashSet<>();
    private final Set<String> regions = new TreeSet<>();
    private boolean restarted;
    private long unreadable;
    private long cut;
    private @Nullable TrafficFile current;

    /**
     * Creates an input without files.
     *
     * @param format {@code auto}, {@code recorded}, {@code csv}, {@code nginx}, {@code envoy}, or the format of an access log
     */
    public TrafficInput(String format, AttributeMapping mapping) {
        this.format = format;
        this.mapping = mapping;
        this.heads = new PriorityQueue<>(Comparator.comparingLong((TrafficFile each) -> each.line.micros())
                .thenComparing(TrafficFile::name));
    }

    /** The files at {@code path}: itself, or in a folder every file that may be traffic. */
    public static List<Path> files(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(path, "*.{jsonl,csv,log,jsonl.gz,csv.gz,log.gz}")) {
            all.forEach(found::add);
        }
        if (found.isEmpty()) {
            throw new NoSuchFileException(path.toString(), null, "no *.jsonl, *.csv or *.log file in the folder");
        }
        Collections.sort(found);
        return found;
    }

    /**
     * Adds a file.
     *
     * @throws IllegalArgumentException if its format is unknown, or cannot be read
     */
    public void add(Path file) throws IOException {
        InputStream in = Files.newInputStream(file);
        String name = file.toString();
        add(name, name.endsWith(".gz") ? new GZIPInputStream(in, 1 << 16) : in);
    }

    /** Adds the last lines of {@code file}, within {@code bytes}. */
    public void addTail(Path file, long bytes) throws IOException {
        add(file.toString(), new BufferedInputStream(FileTail.open(file, bytes), 1 << 16));
    }

    /** Adds a stream with the name {@code name} in messages. */
    public void add(String name, InputStream stream) throws IOException {
        InputStream in = stream.markSupported() ? stream : new BufferedInputStream(stream, 1 << 16);
        TrafficFile file = new TrafficFile(name, in, format(name, in), this);
        open.add(file);
        advance(file);
    }

    private LineFormat format(String name, InputStream in) throws IOException {
        return switch (format) {
            case "recorded" -> new RecordedLines();
            case "csv" -> new CsvLines(mapping);
            case "nginx" -> new LogLines(LogFields.NGINX, mapping);
            case "envoy" -> new LogLines(LogFields.ENVOY, mapping);
            case "auto" -> guessed(name, in);
            default -> {
                if (format.indexOf('$') < 0 && format.indexOf('%') < 0) {
                    throw new IllegalArgumentException("--format: " + PrintableText.quote(format)
                            + " (expected: recorded, csv, nginx, envoy, or a format with fields like $remote_addr)");
                }
                try {
                    yield new LogLines(format, mapping);
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException("--format: " + e.getMessage(), e);
                }
            }
        };
    }

    private LineFormat guessed(String name, InputStream in) throws IOException {
        in.mark(PEEKED);
        int first = in.read();
        in.reset();
        if (first == '{' || first < 0) {
            return new RecordedLines();
        }
        if (name.replaceFirst("\\.gz$", "").endsWith(".csv")) {
            return new CsvLines(mapping);
        }
        throw new IllegalArgumentException(name + ":1:1: neither a file of the decision sink nor *.csv"
                + " (expected: --format nginx, envoy, csv, or the format of the log)");
    }

    /** Returns the next request, until the next call; null at the end. */
    public @Nullable TrafficLine next() throws IOException {
        TrafficFile before = current;
        if (before != null) {
            advance(before);
        }
        current = heads.poll();
        return current == null ? null : current.line;
    }

    /** Reads {@code file} up to its next request. */
    private void advance(TrafficFile file) throws IOException {
        while (file.next()) {
            TrafficLine line = file.line;
            switch (file.kind) {
                case STARTED -> {
                    restarted |= !started.add(line.node());
                    if (line.hash != null) {
                        hashes.add(line.hash);
                    }
                    if (line.region != null) {
                        regions.add(line.region);
                    }
                }
                case LOST -> losses.merge(line.node(), line.lost, Math::max);
                case REQUEST -> {
                    onStoreClock(line);
                    if (!started.contains(line.node()) && !line.node().isEmpty()) {
                        unstarted.add(line.node());
                    }
                    if (line.storeMicros == 0 && Boolean.TRUE.equals(line.passed())) {
                        memoryNodes.add(line.node());
                    }
                    heads.add(file);
                    return;
                }
                case OTHER -> {}
            }
        }
    }

    private void onStoreClock(TrafficLine line) {
        if (line.storeMicros > 0) {
            clockOffsets.merge(line.node(), line.storeMicros - line.micros, Math::min);
        } else if (!clockOffsets.isEmpty()) {
            line.micros += clockOffsets.getOrDefault(line.node(), 0L);
        }
    }

    /** The place of the line that {@link #next} returned, {@code traffic.jsonl:12}. */
    public String place() {
        return current == null ? "" : current.place();
    }

    void unreadable(String file, long line, LineException e) {
        unreadable++;
        if (problems.size() < MOST_PROBLEMS) {
            problems.add(file + ":" + line + ":" + e.column() + ": "
                    + PrintableText.printable(e.getMessage() == null ? "" : e.getMessage()));
        }
    }

    void cut() {
        cut++;
    }

    /** The first lines that could not be read, each with its place. */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    /** The number of lines that could not be read. */
    public long unreadable() {
        return unreadable;
    }

    /** The number of files whose last line is cut off. */
    public long cutOff() {
        return cut;
    }

    /** The number of requests and lines that servers lost while they recorded. */
    public long lost() {
        return losses.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Whether identities may be hashed by {@code hash}: no recording says that it was made with another secret. */
    public boolean isHashedBy(IdentityHash hash) {
        return hashes.isEmpty() || hashes.equals(Set.of(hash.fingerprint()));
    }

    /** The regions of the servers that recorded, as far as lines name them. */
    public Set<String> regions() {
        return Set.copyOf(regions);
    }

    /** Whether a server started anew in the traffic, and forgot the counters in its memory. */
    public boolean hasRestarts() {
        return restarted;
    }

    /** Whether several servers decided by themselves, and not in a store that they share. */
    public boolean hasSeveralMemories() {
        return memoryNodes.size() > 1;
    }

    /** Whether the recording of some server does not begin with its start, so that its counters had been used. */
    public boolean beginsLate() {
        return !unstarted.isEmpty();
    }

    @Override
    public void close() throws IOException {
        for (TrafficFile each : open) {
            each.close();
        }
    }
}
