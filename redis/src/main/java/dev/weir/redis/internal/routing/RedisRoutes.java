package dev.weir.redis.internal.routing;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.node.RedisNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which node serves what. */
public interface RedisRoutes {
    /** Whether counters of different subjects may live on different nodes, and no script call may touch two slots. */
    boolean bySlot();

    /** Who serves {@code slot}; null if nobody is known to. */
    @Nullable
    RedisNode node(int slot);

    /** Whether all there is to ask is served. */
    boolean serves();

    /** What nobody serves though all nodes that are known do, and why, for people; empty if there is nothing. */
    String unserved();

    /** Why nobody is known to serve a slot. */
    StoreFailure failure();

    /** All that are known, for metrics and health. */
    List<RedisNode> nodes();

    /** While we warm up, it is we who are slow: breakers look away. */
    void warming(boolean now);

    void open();

    /** Begins nothing more; who made the nodes closes them. */
    void close();
}
