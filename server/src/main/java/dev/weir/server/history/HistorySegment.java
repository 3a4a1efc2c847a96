package dev.weir.server.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file of minutes, which one process writes once.
 *
 * <pre>
 * file    = magic record*
 * record  = length:int type:byte payload[length]
 * 'S'     = the second at which the server started: long
 * 'N'     = a rule: id:int, domain and rule as UTF-8, each after its length:int
 * 'M'     = a minute: start:long, count:int, then for each rule with traffic, by id: id:int and a point; id 0 is the total
 * </pre>
 *
 * <p>A record that a crash has cut off is the last one, and is ignored. Not thread-safe.
 */
final class HistorySegment {
    private static final byte[] MAGIC = "WEIRHIS1".getBytes(StandardCharsets.US_ASCII);
    private static final int HEAD = Integer.BYTES + 1;
    private static final int ENTRY = Integer.BYTES * (1 + HistoryColumn.COUNT);
    private static final int MINUTE_HEAD = Long.BYTES + Integer.BYTES;
    private static final int LONGEST_NAME = 4 << 10;
    /** A block up to this size is read whole. */
    private static final int SMALL_BLOCK = 4 << 10;

    static final int TOTAL = 0;

    private final Path file;
    private final Map<String, Integer> ids = new HashMap<>();
    private long[] minutes = new long[16];
    private long[] offsets = new long[16];
    private int[] counts = new int[16];
    private int size;
    private long started = Long.MIN_VALUE;
    private long bytes;
    private @Nullable FileChannel channel;

    private HistorySegment(Path file) {
        this.file = file;
    }

    /** Creates the file, for a server that started at {@code started}; {@code again} if another segment says so. */
    static HistorySegment create(Path file, long started, boolean again) throws IOException {
        HistorySegment segment = new HistorySegment(file);
        FileChannel opened = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.READ);
        segment.channel = opened;
        segment.append(ByteBuffer.wrap(MAGIC));
        if (!again) {
            segment.started = started;
            segment.append(record('S', Long.BYTES).putLong(started).flip());
        }
        return segment;
    }

    /** Reads where everything is in an existing file; null if it is no such file. */
    static @Nullable HistorySegment open(Path file) throws IOException {
        HistorySegment segment = new HistorySegment(file);
        FileChannel opened = FileChannel.open(file, StandardOpenOption.READ);
        segment.channel = opened;
        ByteBuffer magic = segment.read(0, MAGIC.length);
        if (magic == null || !magic.equals(ByteBuffer.wrap(MAGIC))) {
            opened.close();
            return null;
        }
        long at = MAGIC.length;
        while (true) {
            ByteBuffer head = segment.read(at, HEAD);
            int length = head == null ? -1 : head.getInt();
            if (head == null || length < 0 || at + HEAD + length > opened.size()) {
                break;
            }
            segment.index((char) head.get(), at + HEAD, length);
            at += HEAD + length;
        }
        segment.bytes = opened.size();
        return segment;
    }

    private void index(char type, long at, int length) throws IOException {
        switch (type) {
            case 'S' -> {
                ByteBuffer payload = read(at, Long.BYTES);
                started = payload == null ? started : payload.getLong();
            }
            case 'N' -> {
                ByteBuffer payload = length > 2 * LONGEST_NAME + 12 ? null : read(at, length);
                if (payload != null) {
                    int id = payload.getInt();
                    ids.put(name(text(payload), text(payload)), id);
                }
            }
            case 'M' -> {
                ByteBuffer payload = read(at, MINUTE_HEAD);
                if (payload != null) {
                    add(payload.getLong(), at + MINUTE_HEAD, payload.getInt());
                }
            }
            default -> {} // of a later version
        }
    }

    private static String text(ByteBuffer from) {
        byte[] text = new byte[Math.min(from.getInt(), from.remaining())];
        from.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    static String name(String domain, String rule) {
        return domain + '\n' + rule;
    }

    private void add(long minute, long offset, int count) {
        if (size == minutes.length) {
            minutes = Arrays.copyOf(minutes, 2 * size);
            offsets = Arrays.copyOf(offsets, 2 * size);
            counts = Arrays.copyOf(counts, 2 * size);
        }
        minutes[size] = minute;
        offsets[size] = offset;
        counts[size++] = count;
    }

    private @Nullable ByteBuffer read(long at, int length) throws IOException {
        FileChannel from = channel;
        ByteBuffer into = ByteBuffer.allocate(length);
        while (from != null && into.hasRemaining()) {
            int read = from.read(into, at + into.position());
            if (read < 0) {
                return null;
            }
        }
        return into.flip();
    }

    private static ByteBuffer record(char type, int length) {
        return ByteBuffer.allocate(HEAD + length).putInt(length).put((byte) type);
    }

    private void append(ByteBuffer record) throws IOException {
        FileChannel to = channel;
        while (to != null && record.hasRemaining()) {
            bytes += to.write(record, bytes);
        }
    }

    /** Writes a minute: the total, and the rules with traffic. */
    void write(long minute, int[] total, List<RuleHistory> rules) throws IOException {
        List<Map.Entry<Integer, int[]>> entries = new ArrayList<>();
        for (RuleHistory each : rules) {
            entries.add(Map.entry(id(each.domain, each.rule), each.minute.point()));
        }
        entries.sort(Map.Entry.comparingByKey());
        int count = entries.size() + 1;
        ByteBuffer block =
                record('M', MINUTE_HEAD + count * ENTRY).putLong(minute).putInt(count);
        put(block, TOTAL, total);
        entries.forEach(each -> put(block, each.getKey(), each.getValue()));
        long offset = bytes + HEAD + MINUTE_HEAD;
        append(block.flip());
        add(minute, offset, count);
    }

    private static void put(ByteBuffer block, int id, int[] point) {
        block.putInt(id);
        for (int each : point) {
            block.putInt(each);
        }
    }

    private int id(String domain, String rule) throws IOException {
        Integer known = ids.get(name(domain, rule));
        if (known != null) {
            return known;
        }
        int id = ids.size() + 1;
        byte[] domainBytes = cut(domain);
        byte[] ruleBytes = cut(rule);
        append(record('N', 3 * Integer.BYTES + domainBytes.length + ruleBytes.length)
                .putInt(id)
                .putInt(domainBytes.length)
                .put(domainBytes)
                .putInt(ruleBytes.length)
                .put(ruleBytes)
                .flip());
        ids.put(name(domain, rule), id);
        return id;
    }

    private static byte[] cut(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= LONGEST_NAME ? bytes : Arrays.copyOf(bytes, LONGEST_NAME);
    }

    /** The id of a rule, {@link #TOTAL} if {@code name} is null; -1 if it had no traffic. */
    int idOf(@Nullable String name) {
        return name == null ? TOTAL : ids.getOrDefault(name, -1);
    }

    /** The minutes that this has. */
    int size() {
        return size;
    }

    /** The start of a minute, seconds since the epoch. */
    long minute(int index) {
        return minutes[index];
    }

    /** The numbers of a rule in a minute; null if it had no traffic. */
    int @Nullable [] point(int index, int id) throws IOException {
        if (id < 0) {
            return null;
        }
        int count = counts[index];
        if (count * ENTRY <= SMALL_BLOCK) {
            ByteBuffer block = read(offsets[index], count * ENTRY);
            for (int i = 0; block != null && i < count; i++) {
                if (block.getInt(i * ENTRY) == id) {
                    return numbers(block, i * ENTRY);
                }
            }
            return null;
        }
        int from = 0;
        int to = count - 1;
        while (from <= to) {
            int middle = (from + to) >>> 1;
            ByteBuffer entry = read(offsets[index] + (long) middle * ENTRY, ENTRY);
            if (entry == null) {
                return null;
            }
            int found = entry.getInt(0);
            if (found == id) {
                return numbers(entry, 0);
            }
            if (found < id) {
                from = middle + 1;
            } else {
                to = middle - 1;
            }
        }
        return null;
    }

    private static int[] numbers(ByteBuffer block, int at) {
        int[] point = new int[HistoryColumn.COUNT];
        for (int i = 0; i < point.length; i++) {
            point[i] = block.getInt(at + (1 + i) * Integer.BYTES);
        }
        return point;
    }

    /** When the server that wrote this started; the smallest number if another segment says so. */
    long started() {
        return started;
    }

    long bytes() {
        return bytes;
    }

    void delete() throws IOException {
        close();
        Files.deleteIfExists(file);
    }

    void close() throws IOException {
        FileChannel open = channel;
        channel = null;
        if (open != null) {
            open.close();
        }
    }
}
