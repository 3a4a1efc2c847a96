package dev.weir.redis;

import dev.weir.store.StoreFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One server for everything: a standalone one, or whoever the sentinels say is the master. */
final class SingleRoute implements Routes, Node.Neighbours {
    private final Node node;

    SingleRoute(NodeFactory nodes, RedisSettings settings) {
        RedisAddress address = settings.address();
        boolean sentinel = address.kind() == RedisAddress.Kind.SENTINEL;
        this.node = nodes.node(
                sentinel ? address.toString() : address.hosts().get(0).toString(),
                sentinel
                        ? LettuceParts.sentinelUri(settings)
                        : LettuceParts.uri(settings, address.hosts().get(0)),
                this);
    }

    @Override
    public boolean bySlot() {
        return false;
    }

    @Override
    public Node node(int slot) {
        return node;
    }

    @Override
    public boolean serves() {
        return node.health().serves();
    }

    @Override
    public String unserved() {
        return "";
    }

    @Override
    public StoreFailure failure() {
        return StoreFailure.UNREACHABLE;
    }

    @Override
    public List<Node> nodes() {
        return List.of(node);
    }

    @Override
    public void warming(boolean now) {
        node.warming(now);
    }

    @Override
    public void open() {
        node.open();
    }

    @Override
    public void close() {
        node.dismiss();
    }

    @Override
    public long probeSubject(Node probed) {
        return 0;
    }

    @Override
    public @Nullable Node redirected(Redirect redirect, Node from) {
        return null; // a cluster behind an address of a single server: its errors are told as they are
    }

    @Override
    public void changed() {}
}
