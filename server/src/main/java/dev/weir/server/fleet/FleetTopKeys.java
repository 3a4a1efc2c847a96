package dev.weir.server.fleet;

import dev.weir.control.DatabaseNodes;
import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.FleetSecret.Trust;
import dev.weir.internal.runtime.RejectedNotes;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.topkeys.NamedKey;
import dev.weir.server.topkeys.TopKey;
import dev.weir.server.topkeys.TopKeys;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The heaviest callers of all servers that share a Redis or a database. Every {@value #EVERY_SECONDS} s, each server
 * writes there its {@value #SHARED} heaviest callers of the last minute and hour and those nearest to their limit, and
 * reads those of the others. Counts of the same counter add up; of its use, the highest is shown.
 *
 * <p><b>Trust.</b> As in the {@link FleetDirectory}: with the fleet's secret, notes in Redis are signed, and others are
 * left out and counted.
 */
public final class FleetTopKeys implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FleetTopKeys.class.getName());
    private static final int SHARED = 128;
    private static final int LONGEST_NOTE = 256 << 10;
    private static final int ROOM_FOR_SIGNATURE = 1 << 10;
    private static final int MOST_NODES = 256;
    /** The most callers of others that are kept of each list. */
    private static final int MOST_KEPT = 1_024;

    private static final long MINUTE_MILLIS = 60_000;
    private static final long EVERY_SECONDS = 10;
    private static final long STOP_SECONDS = 2;
    private static final long SILENT_MILLIS = 90_000;
    private static final String KIND = "top_keys";
    private static final int LISTS = 4;
    private static final JsonArray NO_ENTRIES = new JsonArray();

    private final TopKeys keys;
    private final Supplier<String> node;
    private final LongSupplier millis;
    private final List<NodeBoard> boards = new ArrayList<>();
    private final @Nullable FleetSecret secret;
    private final RejectedNotes rejectedNotes = new RejectedNotes(KIND);
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-fleet-keys"));
    private volatile Others others = Others.NONE;
    private boolean posted;
    private boolean failing;

    /** The notes of other servers. {@code lists} and {@code totals}: denied and allowed of a minute, then of an hour. */
    private record Others(int nodes, int silent, List<List<TopKey>> lists, List<Double> totals, List<TopKey> nearest) {
        static final Others NONE =
                new Others(0, 0, Collections.nCopies(LISTS, List.of()), Collections.nCopies(LISTS, 0.0), List.of());
    }

    /**
     * Creates it.
     *
     * @param node the name of this server, once it has one
     * @param redis the Redis that servers share; null if there is none
     * @param database what the servers that share the database say; null if nobody does
     */
    public FleetTopKeys(
            TopKeys keys,
            Supplier<String> node,
            @Nullable RedisSharedStore redis,
            @Nullable DatabaseNodes database,
            @Nullable FleetSecret secret) {
        this(keys, node, boards(redis, database), secret, System::currentTimeMillis);
    }

    FleetTopKeys(
            TopKeys keys,
            Supplier<String> node,
            List<NodeBoard> boards,
            @Nullable FleetSecret secret,
            LongSupplier millis) {
        this.keys = keys;
        this.node = node;
        this.boards.addAll(boards);
        this.secret = secret;
        this.millis = millis;
    }

    private static List<NodeBoard> boards(@Nullable RedisSharedStore redis, @Nullable DatabaseNodes database) {
        if (redis != null) {
            return List.of(new NodeBoard.InRedis(redis.topKeys()));
        }
        return database == null ? List.of() : List.of(new NodeBoard.InDatabase(database));
    }

    /** Starts to exchange callers, if there is somebody to exchange them with. */
    public FleetTopKeys start() {
        if (!boards.isEmpty()) {
            var unused =
                    timer.scheduleWithFixedDelay(this::tryExchange, EVERY_SECONDS, EVERY_SECONDS, TimeUnit.SECONDS);
        }
        return this;
    }

    /** Counts the notes that were left out. */
    public RejectedNotes rejectedNotes() {
        return rejectedNotes;
    }

    private void tryExchange() {
        try {
            exchange();
            failing = false;
        } catch (IOException e) {
            if (!failing) {
                failing = true;
                LOG.log(Level.DEBUG, "the heaviest callers could not be exchanged with other servers", e);
            }
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "the heaviest callers could not be exchanged with other servers; retrying", e);
        }
    }

    /** Writes what this server counted, and reads what others wrote. Blocks. */
    void exchange() throws IOException {
        String self = node.get();
        if (self.isEmpty()) {
            return;
        }
        for (NodeBoard board : boards) {
            String text = note();
            board.post(self, board.isOpenToOthers() ? signed(self, text) : text);
            posted = true;
            others = read(board, self);
        }
    }

    private String signed(String self, String text) {
        return secret == null ? text : secret.sign(KIND, self, millis.getAsLong(), text);
    }

    /** The note of this server, with fewer callers if their names are long. */
    private String note() {
        int shared = SHARED;
        String text = note(shared);
        while (text.length() > LONGEST_NOTE - ROOM_FOR_SIGNATURE && shared > 1) {
            shared /= 2;
            text = note(shared);
        }
        return text;
    }

    private String note(int shared) {
        JsonObject json = new JsonObject();
        JsonArray lists = new JsonArray();
        JsonArray totals = new JsonArray();
        for (int list = 0; list < LISTS; list++) {
            JsonArray entries = new JsonArray();
            keys.top(isDenied(list), isHour(list), null, null, shared).forEach(each -> entries.add(entry(each)));
            lists.add(entries);
            totals.add(keys.total(isDenied(list), isHour(list), null, null));
        }
        JsonArray nearest = new JsonArray();
        keys.nearest(null, null, shared)
                .forEach(each -> nearest.add(entry(each).add(each.used()).add(each.limit())));
        return json.put("lists", lists)
                .put("totals", totals)
                .put("nearest", nearest)
                .encode();
    }

    private static boolean isDenied(int list) {
        return list % 2 == 0;
    }

    private static boolean isHour(int list) {
        return list >= 2;
    }

    private static int list(boolean denied, boolean hour) {
        return (denied ? 0 : 1) + (hour ? 2 : 0);
    }

    private static JsonArray entry(TopKey key) {
        Map<String, String> attributes = key.attributes();
        return new JsonArray()
                .add(key.domain())
                .add(key.rule())
                .add(key.text())
                .add(key.bucket())
                .add(key.count())
                .add(key.deniedSince())
                .add(attributes == null ? null : new JsonObject(new LinkedHashMap<>(attributes)));
    }

    private Others read(NodeBoard board, String self) throws IOException {
        List<Map<String, TopKey>> merged = new ArrayList<>();
        for (int list = 0; list < LISTS; list++) {
            merged.add(new LinkedHashMap<>());
        }
        Map<String, TopKey> nearest = new LinkedHashMap<>();
        double[] totals = new double[LISTS];
        int nodes = 0;
        int silent = 0;
        for (NodeBoard.Note each : board.read()) {
            if (each.node().equals(self) || each.text().length() > LONGEST_NOTE || nodes >= MOST_NODES) {
                continue;
            }
            if (each.ageMillis() > SILENT_MILLIS) {
                silent++;
                continue;
            }
            String text = trusted(board, each);
            if (text != null && merge(text, merged, totals, nearest)) {
                nodes++;
            }
        }
        List<List<TopKey>> lists = new ArrayList<>();
        for (Map<String, TopKey> each : merged) {
            lists.add(each.values().stream()
                    .sorted(TopKeys.BY_COUNT)
                    .limit(MOST_KEPT)
                    .toList());
        }
        return new Others(
                nodes,
                silent,
                lists,
                Arrays.stream(totals).boxed().toList(),
                TopKeys.nearest(List.copyOf(nearest.values()), MOST_KEPT));
    }

    private @Nullable String trusted(NodeBoard board, NodeBoard.Note note) {
        if (!board.isOpenToOthers()) {
            return note.text();
        }
        FleetSecret.Note read = FleetSecret.read(secret, KIND, note.node(), note.text());
        if (secret != null && read.trust() != Trust.VERIFIED) {
            rejectedNotes.count(read.trust(), note.node());
            return null;
        }
        if (read.trust() == Trust.VERIFIED
                && Math.abs(millis.getAsLong() - note.ageMillis() - read.stamp()) > 2 * MINUTE_MILLIS) {
            rejectedNotes.count(RejectedNotes.Reason.STALE, note.node());
            return null;
        }
        return read.content();
    }

    /** Adds a note; false if it is not one. */
    private static boolean merge(
            String text, List<Map<String, TopKey>> merged, double[] totals, Map<String, TopKey> nearest) {
        try {
            JsonObject json = new JsonObject(text);
            for (int list = 0; list < LISTS; list++) {
                JsonArray entries = json.getJsonArray("lists").getJsonArray(list);
                totals[list] += Math.max(0, json.getJsonArray("totals").getDouble(list));
                for (int i = 0; i < Math.min(SHARED, entries.size()); i++) {
                    TopKey key = key(entries.getJsonArray(i), 0, 0);
                    merged.get(list).merge(id(key), key, TopKey::plus);
                }
            }
            JsonArray entries = json.getJsonArray("nearest", NO_ENTRIES); // older servers have none
            for (int i = 0; i < Math.min(SHARED, entries.size()); i++) {
                JsonArray entry = entries.getJsonArray(i);
                TopKey key = key(entry, Math.max(0, entry.getLong(7)), Math.max(1, entry.getLong(8)));
                nearest.merge(id(key), key, TopKey::nearer);
            }
            return true;
        } catch (DecodeException | ClassCastException | IndexOutOfBoundsException | NullPointerException e) {
            return false;
        }
    }

    private static TopKey key(JsonArray entry, long used, long limit) {
        JsonObject values = entry.getJsonObject(6);
        Map<String, String> attributes = null;
        if (values != null) {
            attributes = new LinkedHashMap<>();
            for (String each : values.fieldNames()) {
                attributes.put(each, values.getString(each));
            }
        }
        return new TopKey(
                entry.getString(0),
                entry.getString(1),
                new NamedKey(entry.getString(2), entry.getString(3), attributes),
                Math.max(0, entry.getDouble(4)),
                entry.getLong(5),
                used,
                limit);
    }

    private static String id(TopKey key) {
        return key.domain() + '\n' + key.rule() + '\n' + key.bucket();
    }

    /** The heaviest callers of all servers, most first; see {@link TopKeys#top}. */
    public List<TopKey> top(boolean denied, boolean hour, @Nullable String domain, @Nullable String rule, int most) {
        Map<String, TopKey> byId = new LinkedHashMap<>();
        keys.top(denied, hour, domain, rule, SHARED).forEach(each -> byId.put(id(each), each));
        for (TopKey each : others.lists().get(list(denied, hour))) {
            if (isOf(each, domain, rule)) {
                byId.merge(id(each), each, TopKey::plus);
            }
        }
        return byId.values().stream().sorted(TopKeys.BY_COUNT).limit(most).toList();
    }

    /** The callers of all servers that are nearest to their limit; see {@link TopKeys#nearest}. */
    public List<TopKey> nearest(@Nullable String domain, @Nullable String rule, int most) {
        Map<String, TopKey> byId = new LinkedHashMap<>();
        keys.nearest(domain, rule, SHARED).forEach(each -> byId.put(id(each), each));
        for (TopKey each : others.nearest()) {
            if (isOf(each, domain, rule)) {
                byId.merge(id(each), each, TopKey::nearer);
            }
        }
        return TopKeys.nearest(List.copyOf(byId.values()), most);
    }

    private static boolean isOf(TopKey key, @Nullable String domain, @Nullable String rule) {
        return (domain == null || key.domain().equals(domain))
                && (rule == null || key.rule().equals(rule));
    }

    /** The sum over all callers; for one rule, of this server and of those that sent theirs. */
    public double total(boolean denied, boolean hour, @Nullable String domain, @Nullable String rule) {
        double own = keys.total(denied, hour, domain, rule);
        Others told = others;
        if (domain == null && rule == null) {
            return own + told.totals().get(list(denied, hour));
        }
        return own
                + told.lists().get(list(denied, hour)).stream()
                        .filter(each ->
                                each.domain().equals(domain) && each.rule().equals(rule))
                        .mapToDouble(TopKey::count)
                        .sum();
    }

    /** The servers whose callers are counted, with this one. */
    public int nodes() {
        return 1 + others.nodes();
    }

    /** The servers that wrote before, and then no more. */
    public int silentNodes() {
        return others.silent();
    }

    /** Says what is missing, for people; empty if nothing is. */
    public List<String> dropped() {
        List<String> sentences = new ArrayList<>(keys.dropped());
        if (others.silent() > 0) {
            sentences.add(others.silent() + " nodes have not told their callers for 90 seconds.");
        }
        return sentences;
    }

    /** Deletes the note of this server, so that the others do not add it up any more. */
    @Override
    public void close() {
        timer.shutdown();
        try {
            if (!timer.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS) || !posted || failing) {
                return;
            }
            for (NodeBoard each : boards) {
                each.remove(node.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "other servers will count the callers of this one for 90 seconds", e);
        }
    }
}
