package dev.weir.redis;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which node serves what. */
interface Routes {
    /** Whether counters of different subjects may live on different nodes, and no script call may touch two slots. */
    boolean bySlot();

    /** Who serves {@code slot}; null if nobody is known to. */
    @Nullable
    Node node(int slot);

    /** All that are known, for metrics and health. */
    List<Node> nodes();

    void open();

    void close();
}
