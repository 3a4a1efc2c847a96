package dev.weir.server.fleet;

import dev.weir.control.DatabaseNodes;
import dev.weir.control.data.Json;
import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.FleetSecret.Trust;
import dev.weir.internal.runtime.RejectedNotes;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.settings.ListenAddress;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells the servers that share a Redis or a PostgreSQL database of this one, and lists them. Each server writes its
 * status there every five seconds under its name, and deletes it when it stops.
 *
 * <p><b>Trust.</b> With the fleet's secret, notes in Redis are signed. One that is unsigned, forged, or signed more than
 * five minutes before it was written is left out and counted. Without a secret, notes in Redis are marked as not
 * verified.
 */
public final class FleetDirectory implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FleetDirectory.class.getName());

    private static final Duration PERIOD = Duration.ofSeconds(5);
    /** A server that missed two notes and has had time for a third is silent. */
    private static final long SILENT_MILLIS = 3 * PERIOD.toMillis();
    /** How far the clocks of two servers may differ. */
    private static final long FRESH_MILLIS = Duration.ofMinutes(5).toMillis();
    /** A reader also deletes the notes of servers that are gone, so each server reads at times. */
    private static final int BEATS_PER_SWEEP = 12;

    private static final long STOP_SECONDS = 2;
    private static final int LONGEST_NOTE = 64 << 10;
    private static final int LONGEST_NAME = 200;
    private static final int MOST_NODES = 1_000;
    private static final String KIND = "node";

    private final NodeStatus status;
    private final List<NodeBoard> boards = new ArrayList<>();
    private final @Nullable FleetSecret secret;
    private final RejectedNotes rejectedNotes = new RejectedNotes("nodes");
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-fleet"));
    /** The boards that did not answer last time; used by the timer's thread, and by the one that ends it. */
    private final Set<String> failing = new HashSet<>();

    private int beats;
    private volatile String node = "";
    private volatile String admin = "";

    /**
     * A server of the fleet.
     *
     * @param ageMillis how long ago it said this
     * @param verified whether it was a server of the fleet that said it
     * @param self whether it is this server
     */
    public record Node(String name, long ageMillis, boolean verified, boolean self, JsonObject status) {
        /** Whether it has not said anything for too long, without having stopped in order. */
        public boolean isSilent() {
            return ageMillis > SILENT_MILLIS;
        }

        public JsonObject toJson() {
            return new JsonObject()
                    .put("node", name)
                    .mergeIn(status) // whose members of these names are not believed
                    .put("node", name)
                    .put("self", self)
                    .put("verified", verified)
                    .put("seen_ms_ago", ageMillis)
                    .put("silent", isSilent());
        }
    }

    /**
     * The servers that are known, by name.
     *
     * @param unknown the places that could not be read, and why
     */
    public record Nodes(List<Node> nodes, List<String> unknown) {}

    /**
     * Creates a directory.
     *
     * @param redis the Redis that servers share; null if there is none
     * @param database the servers that share the database; null if nobody does
     * @param secret signs and verifies notes in Redis; null if there is none
     */
    public FleetDirectory(
            NodeStatus status,
            @Nullable RedisSharedStore redis,
            @Nullable DatabaseNodes database,
            @Nullable FleetSecret secret) {
        this.status = status;
        this.secret = secret;
        if (redis != null) {
            boards.add(new NodeBoard.InRedis(redis.nodes()));
        }
        if (database != null) {
            boards.add(new NodeBoard.InDatabase(database));
        }
    }

    /** Starts to write notes. {@code address} is the admin port of this server. */
    public void start(ListenAddress address, boolean tls) {
        String host = hostName();
        node = host + ":" + address.port();
        boolean any = address.host().equals("0.0.0.0") || address.host().equals("::");
        admin = (tls ? "https://" : "http://") + (any ? new ListenAddress(host, address.port()) : address);
        if (!boards.isEmpty()) {
            var unused = timer.scheduleWithFixedDelay(this::beat, 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** The name that the machine or the container has; servers on one machine differ by their port. */
    private static String hostName() {
        String set = System.getenv("HOSTNAME");
        if (set != null && !set.isBlank()) {
            return shortened(set.strip());
        }
        try {
            return shortened(InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private static String shortened(String name) {
        return name.substring(0, Math.min(name.length(), LONGEST_NAME - ":65535".length()));
    }

    /** The name of this server; empty before it has started. */
    public String node() {
        return node;
    }

    /** Counts the notes that were left out. */
    public RejectedNotes rejectedNotes() {
        return rejectedNotes;
    }

    private void beat() {
        boolean sweep = ++beats % BEATS_PER_SWEEP == 0;
        String text = note();
        for (NodeBoard each : boards) {
            try {
                each.post(node, each.isOpenToOthers() ? signed(text) : text);
                if (sweep) {
                    each.read();
                }
                reached(each, "");
            } catch (IOException e) {
                reached(each, String.valueOf(e.getMessage()));
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "the status of this server was not sent to the others; retrying", e);
            }
        }
    }

    private void reached(NodeBoard board, String problem) {
        if (problem.isEmpty() ? failing.remove(board.name()) : failing.add(board.name())) {
            LOG.log(
                    Level.DEBUG,
                    "the " + board.name() + " "
                            + (problem.isEmpty()
                                    ? "has the status of this server again"
                                    : "does not take the status of this server: " + problem));
        }
    }

    private String note() {
        return Json.text(out -> {
            out.writeStartObject();
            out.writeStringField("admin", admin);
            status.write(out);
            out.writeEndObject();
        });
    }

    private String signed(String text) {
        return secret == null ? text : secret.sign(KIND, node, System.currentTimeMillis(), text);
    }

    /** Lists the servers, this one as it is now. Blocks. */
    public Nodes read() {
        Map<String, Node> byName = new TreeMap<>();
        List<String> unknown = new ArrayList<>();
        for (NodeBoard board : boards) {
            try {
                for (NodeBoard.Note each : board.read()) {
                    Node found = each.node().equals(node) ? null : node(board, each);
                    if (found != null && byName.size() < MOST_NODES) {
                        byName.merge(found.name(), found, (a, b) -> a.ageMillis() <= b.ageMillis() ? a : b);
                    }
                }
            } catch (IOException e) {
                unknown.add(board.name() + ": " + e.getMessage());
            }
        }
        byName.put(node, new Node(node, 0, true, true, new JsonObject(note())));
        return new Nodes(List.copyOf(byName.values()), unknown);
    }

    /** Reads a note; null if it cannot be read or trusted. */
    private @Nullable Node node(NodeBoard board, NodeBoard.Note note) {
        if (note.text().length() > LONGEST_NOTE || note.node().length() > LONGEST_NAME) {
            return null;
        }
        String text = note.text();
        boolean verified = true;
        if (board.isOpenToOthers()) {
            FleetSecret.Note read = FleetSecret.read(secret, KIND, note.node(), text);
            verified = read.trust() == Trust.VERIFIED;
            text = read.content();
            if (secret != null && !verified) {
                rejectedNotes.count(read.trust(), note.node());
                return null;
            }
            long written = System.currentTimeMillis() - note.ageMillis();
            if (verified && Math.abs(written - read.stamp()) > FRESH_MILLIS) {
                rejectedNotes.count(RejectedNotes.Reason.STALE, note.node());
                return null;
            }
        }
        try {
            JsonObject said = new JsonObject(text);
            return isStatus(said) ? new Node(note.node(), note.ageMillis(), verified, false, said) : null;
        } catch (DecodeException e) {
            return null;
        }
    }

    /** Whether a note has what every server says of itself, so that readers need not check it again. */
    private static boolean isStatus(JsonObject said) {
        return said.getValue("admin") instanceof String
                && said.getValue("version") instanceof String
                && said.getValue("serving") instanceof Boolean
                && said.getValue("rules") instanceof Number
                && said.getValue("rules_hash") instanceof String
                && said.getValue("problems") instanceof JsonArray problems
                && problems.stream().allMatch(String.class::isInstance)
                && said.getValue("stores") instanceof JsonArray stores
                && stores.stream()
                        .allMatch(each -> each instanceof JsonObject store
                                && store.getValue("connected") instanceof Boolean
                                && store.getValue("breaker") instanceof String)
                && (said.getValue("database") == null
                        || (said.getValue("database") instanceof JsonObject database
                                && database.getValue("connected") instanceof Boolean
                                && database.getValue("version") instanceof Number))
                && said.getValue("leases") instanceof JsonObject leases
                && leases.getValue("held_hits") instanceof Number
                && isTextOrAbsent(said.getValue("region"))
                && isTextOrAbsent(said.getValue("home"))
                && (said.getValue("home_epoch") == null || said.getValue("home_epoch") instanceof Number);
    }

    private static boolean isTextOrAbsent(@Nullable Object value) {
        return value == null || value instanceof String;
    }

    /** Deletes the notes of this server, so that the others do not take it for silent. */
    @Override
    public void close() {
        timer.shutdown();
        try {
            if (!timer.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS) || node.isEmpty()) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        for (NodeBoard each : boards) {
            try {
                if (!failing.contains(each.name())) { // else it would only hold up the stop
                    each.remove(node);
                }
            } catch (IOException e) {
                LOG.log(
                        Level.DEBUG,
                        "other servers will show this one as silent for ten minutes: the " + each.name() + ": "
                                + e.getMessage());
            }
        }
    }
}
