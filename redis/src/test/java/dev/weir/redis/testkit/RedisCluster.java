package dev.weir.redis.testkit;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A Redis Cluster of three masters and three replicas. */
public final class RedisCluster implements AutoCloseable {
    public static final int SLOTS = 16_384;
    public static final int NODE_TIMEOUT_MILLIS = 2_000;
    private static final int MASTERS = 3;

    private final List<RedisProcess> nodes;

    private RedisCluster(List<RedisProcess> nodes) {
        this.nodes = nodes;
    }

    /**
     * Starts a cluster and waits until it is whole.
     *
     * @param fullCoverage whether all slots are down when one is, {@code cluster-require-full-coverage}
     */
    public static RedisCluster start(boolean fullCoverage, String... settings) {
        List<String> lines = new ArrayList<>(List.of(
                "cluster-enabled yes",
                "cluster-config-file nodes.conf",
                "cluster-node-timeout " + NODE_TIMEOUT_MILLIS,
                "cluster-require-full-coverage " + (fullCoverage ? "yes" : "no"),
                "repl-ping-replica-period 1"));
        lines.addAll(Arrays.asList(settings));
        List<RedisProcess> nodes = IntStream.range(0, 2 * MASTERS)
                .parallel()
                .mapToObj(i -> RedisProcess.start(lines.toArray(String[]::new)))
                .toList();
        RedisCluster cluster = new RedisCluster(nodes);
        try {
            cluster.form();
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    private void form() {
        for (int i = 0; i < nodes.size(); i++) {
            nodes.get(i).cli("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            if (i < MASTERS) {
                String first = Integer.toString(SLOTS * i / MASTERS);
                String last = Integer.toString(SLOTS * (i + 1) / MASTERS - 1);
                nodes.get(i).cli("CLUSTER", "ADDSLOTSRANGE", first, last);
            }
        }
        // Everybody meets everybody: left to gossip, that takes seconds.
        for (RedisProcess node : nodes) {
            for (RedisProcess other : nodes) {
                if (node != other) {
                    String port = Integer.toString(other.port());
                    node.cli("CLUSTER", "MEET", "127.0.0.1", port, Integer.toString(other.busPort()));
                }
            }
        }
        for (int i = 0; i < MASTERS; i++) {
            RedisProcess replica = nodes.get(MASTERS + i);
            String master = id(nodes.get(i));
            await(
                    "the replica knows its master",
                    () -> nodesSeenBy(replica).stream()
                            .anyMatch(seen -> seen.id.equals(master) && !seen.has("handshake")));
            replica.cli("CLUSTER", "REPLICATE", master);
        }
        awaitWhole();
    }

    /** Waits until every node that runs sees every slot served, and every replica is in step. */
    public void awaitWhole() {
        await(
                "the cluster is whole",
                () -> running().allMatch(node -> {
                    List<Seen> seen = nodesSeenBy(node);
                    return nodeSays(node, "cluster_state:ok")
                            && nodeSays(node, "cluster_slots_ok:" + SLOTS)
                            && seen.size() == nodes.size()
                            && seen.stream().noneMatch(one -> one.has("handshake"))
                            && seen.stream().filter(one -> one.has("slave")).count()
                                    >= running().count() - MASTERS
                            && (!isReplica(node)
                                    || node.info("replication", "master_link_status")
                                            .equals("up"));
                }));
    }

    /** Waits until every other node sees all slots served, none of them by {@code gone}. */
    public void awaitFailover(RedisProcess gone) {
        await(
                "another serves what " + gone + " served",
                () -> nodes.stream()
                        .filter(node -> node != gone && node.isRunning())
                        .allMatch(node -> nodeSays(node, "cluster_slots_ok:" + SLOTS)
                                && nodeSays(node, "cluster_state:ok")
                                && nodesSeenBy(node).stream()
                                        .noneMatch(seen -> seen.port == gone.port() && !seen.slots.isEmpty())));
    }

    private Stream<RedisProcess> running() {
        return nodes.stream().filter(RedisProcess::isRunning);
    }

    private static boolean nodeSays(RedisProcess node, String line) {
        return String.valueOf(node.cli("CLUSTER", "INFO")).lines().anyMatch(line::equals);
    }

    private static boolean isReplica(RedisProcess node) {
        return node.info("replication", "role").equals("slave");
    }

    private static String id(RedisProcess node) {
        return String.valueOf(node.cli("CLUSTER", "MYID"));
    }

    /** All nodes, wherever the cluster has moved their roles by now. */
    public List<RedisProcess> nodes() {
        return nodes;
    }

    /** The nodes that serve slots, as the first that answers sees it. */
    public List<RedisProcess> masters() {
        return nodesSeenBy(anyNode()).stream()
                .filter(seen -> !seen.slots.isEmpty() && !seen.has("fail"))
                .map(seen -> byPort(seen.port))
                .toList();
    }

    /** Returns the node of a hash slot, as the first node that answers sees it. */
    public RedisProcess masterOf(int slot) {
        return nodesSeenBy(anyNode()).stream()
                .filter(seen -> seen.has("master") && !seen.has("fail") && seen.holds(slot))
                .map(seen -> byPort(seen.port))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nobody serves slot " + slot));
    }

    /** The replica of {@code master}, which has one. */
    public RedisProcess replicaOf(RedisProcess master) {
        String port = Integer.toString(master.port());
        return running()
                .filter(node -> isReplica(node)
                        && node.info("replication", "master_port").equals(port))
                .findFirst()
                .orElseThrow();
    }

    private RedisProcess anyNode() {
        return nodes.stream()
                .filter(RedisProcess::isRunning)
                .filter(node -> {
                    try {
                        return node.cli("PING") != null;
                    } catch (UncheckedIOException e) {
                        return false;
                    }
                })
                .findFirst()
                .orElseThrow();
    }

    private RedisProcess byPort(int port) {
        return nodes.stream().filter(node -> node.port() == port).findFirst().orElseThrow();
    }

    /** Moves a slot with its keys to another master, as {@code redis-cli --cluster reshard} does, while it is in use. */
    public void moveSlot(int slot, RedisProcess to) {
        RedisProcess from = masterOf(slot);
        beginMove(slot, to);
        while (from.cli("CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), "10") instanceof List<?> keys
                && !keys.isEmpty()) {
            moveKeys(from, to, keys.stream().map(String::valueOf).toArray(String[]::new));
        }
        endMove(slot, from, to);
    }

    /** Opens a slot for its keys to move to another master. */
    public void beginMove(int slot, RedisProcess to) {
        RedisProcess from = masterOf(slot);
        String number = Integer.toString(slot);
        to.cli("CLUSTER", "SETSLOT", number, "IMPORTING", id(from));
        from.cli("CLUSTER", "SETSLOT", number, "MIGRATING", id(to));
    }

    public void moveKeys(RedisProcess from, RedisProcess to, String... keys) {
        List<String> migrate =
                new ArrayList<>(List.of("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0", "5000", "KEYS"));
        migrate.addAll(List.of(keys));
        from.cli(migrate.toArray(String[]::new));
    }

    private void endMove(int slot, RedisProcess from, RedisProcess to) {
        String number = Integer.toString(slot);
        String target = id(to);
        to.cli("CLUSTER", "SETSLOT", number, "NODE", target);
        from.cli("CLUSTER", "SETSLOT", number, "NODE", target);
        masters().forEach(master -> master.cli("CLUSTER", "SETSLOT", number, "NODE", target));
    }

    /** Returns its address: {@code redis-cluster://host:port,host:port,…}. */
    public String uri() {
        return nodes.stream().map(RedisProcess::address).collect(Collectors.joining(",", "redis-cluster://", ""));
    }

    @Override
    public void close() {
        nodes.forEach(RedisProcess::stop);
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("after 30 s still not so: " + what);
            }
            LockSupport.parkNanos(MILLISECONDS.toNanos(20));
        }
    }

    private static List<Seen> nodesSeenBy(RedisProcess node) {
        return String.valueOf(node.cli("CLUSTER", "NODES"))
                .lines()
                .map(Seen::parse)
                .toList();
    }

    /** One line of {@code CLUSTER NODES}. */
    private record Seen(String id, int port, List<String> flags, List<String> slots) {
        static Seen parse(String line) {
            List<String> words = List.of(line.split(" ", -1));
            String address = words.get(1);
            int port = Integer.parseInt(address.substring(address.indexOf(':') + 1, address.indexOf('@')));
            // A slot on the move is listed once more, in brackets.
            List<String> slots = words.subList(Math.min(8, words.size()), words.size()).stream()
                    .filter(word -> !word.startsWith("["))
                    .toList();
            return new Seen(words.get(0), port, List.of(words.get(2).split(",", -1)), slots);
        }

        boolean has(String flag) {
            return flags.contains(flag);
        }

        boolean holds(int slot) {
            return slots.stream().anyMatch(range -> {
                int dash = range.indexOf('-');
                int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
                int last = dash < 0 ? first : Integer.parseInt(range.substring(dash + 1));
                return first <= slot && slot <= last;
            });
        }
    }
}
