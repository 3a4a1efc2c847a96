package dev.weir.redis.testkit;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A master, its replica, and three sentinels that agree on a new master within about a second. */
public final class SentinelSet implements AutoCloseable {
    public static final String NAME = "weir";

    private final List<RedisProcess> servers = new ArrayList<>();
    private final List<RedisProcess> sentinels = new ArrayList<>();

    private SentinelSet() {}

    /** Starts the set and waits until the sentinels know of each other and of the replica. */
    public static SentinelSet start() {
        SentinelSet set = new SentinelSet();
        try {
            set.form();
        } catch (RuntimeException e) {
            set.close();
            throw e;
        }
        return set;
    }

    private void form() {
        RedisProcess master = RedisProcess.start("repl-ping-replica-period 1");
        servers.add(master);
        RedisProcess replica = RedisProcess.start("repl-ping-replica-period 1", "replicaof 127.0.0.1 " + master.port());
        servers.add(replica);
        await(() -> replica.info("replication", "master_link_status").equals("up"));
        sentinels.addAll(IntStream.range(0, 3)
                .parallel()
                .mapToObj(i -> RedisProcess.startSentinel(
                        "sentinel monitor " + NAME + " 127.0.0.1 " + master.port() + " 2",
                        "sentinel down-after-milliseconds " + NAME + " 500",
                        "sentinel failover-timeout " + NAME + " 3000"))
                .toList());
        // They ask servers for their roles every ten seconds, and give one that is not as it should be eight: a test
        // would wait for that.
        sentinels.forEach(sentinel -> sentinel.cli("SENTINEL", "DEBUG", "info-period", "500", "publish-period", "500"));
        await(() -> sentinels.stream().allMatch(sentinel -> {
            String seen = sentinel.info("sentinel", "master0");
            return seen.contains("status=ok") && seen.contains("slaves=1") && seen.contains("sentinels=3");
        }));
    }

    /** Returns the master, as the first sentinel sees it. */
    public RedisProcess master() {
        if (sentinels.get(0).cli("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME) instanceof List<?> address) {
            int port = Integer.parseInt(String.valueOf(address.get(1)));
            return servers.stream()
                    .filter(one -> one.port() == port)
                    .findFirst()
                    .orElseThrow();
        }
        throw new IllegalStateException("the sentinel knows no " + NAME);
    }

    /** Returns whether every sentinel sees {@code server} as a healthy replica, and so as the next master. */
    public boolean knowsReplica(RedisProcess server) {
        return sentinels.stream().allMatch(sentinel -> {
            String replicas = String.valueOf(sentinel.cli("SENTINEL", "REPLICAS", NAME));
            return replicas.contains("port, " + server.port() + ", ") && replicas.contains("flags, slave, ");
        });
    }

    /** Orders the replica to be the master; false if the sentinel will not, because it is at it, or was a moment ago. */
    public boolean failOver() {
        try {
            return "OK".equals(sentinels.get(0).cli("SENTINEL", "FAILOVER", NAME));
        } catch (RespConnection.RedisError e) {
            return false;
        }
    }

    public List<RedisProcess> servers() {
        return servers;
    }

    public List<RedisProcess> sentinels() {
        return sentinels;
    }

    /** Returns its address: {@code redis-sentinel://name@host:port,…}. */
    public String uri() {
        return sentinels.stream()
                .map(RedisProcess::address)
                .collect(Collectors.joining(",", "redis-sentinel://" + NAME + "@", ""));
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("after 30 s the sentinels still do not know each other");
            }
            LockSupport.parkNanos(MILLISECONDS.toNanos(20));
        }
    }

    @Override
    public void close() {
        sentinels.forEach(RedisProcess::stop);
        servers.forEach(RedisProcess::stop);
    }
}
