package dev.weir.redis.internal.routing;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.node.RedisNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the node that serves a hash slot. */
public interface RedisRoutes {
    /**
     * Returns whether this is a cluster: counters of different subjects may be on different nodes, and a script call
     * may touch only one hash slot.
     */
    boolean hasHashSlots();

    /** Returns the node that serves {@code slot}; null if none is known. */
    @Nullable
    RedisNode node(int slot);

    /** Returns whether every hash slot is served. */
    boolean serves();

    /**
     * Returns, for people, which hash slots no node serves and why, if the health of the known nodes does not show it;
     * empty otherwise.
     */
    String unserved();

    /** Returns why no node is known for a hash slot. */
    StoreFailure failure();

    /** Returns all known nodes, for metrics and health. */
    List<RedisNode> nodes();

    /** Starts or ends the warm-up. Meanwhile breakers ignore results, because this process is the slow one. */
    void warmingUp(boolean now);

    void open();

    /** Stops; the factory of the nodes closes their connections. */
    void close();
}
