package dev.weir.redis.internal.routing;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.connection.ClusterRedirect;
import dev.weir.redis.internal.connection.LettuceSetup;
import dev.weir.redis.internal.node.RedisNode;
import dev.weir.redis.internal.node.RedisNodeFactory;
import dev.weir.redis.internal.settings.RedisAddress;
import dev.weir.redis.internal.settings.RedisSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Routes everything to one server: a standalone one, or the master that the sentinels name. */
public final class SingleNodeRoutes implements RedisRoutes, RedisNode.Topology {
    private final RedisNode node;

    public SingleNodeRoutes(RedisNodeFactory nodes, RedisSettings settings) {
        RedisAddress address = settings.address();
        boolean sentinel = address.kind() == RedisAddress.Kind.SENTINEL;
        this.node = nodes.node(
                sentinel ? address.toString() : address.hosts().get(0).toString(),
                sentinel
                        ? LettuceSetup.sentinelUri(settings)
                        : LettuceSetup.uri(settings, address.hosts().get(0)),
                this);
    }

    @Override
    public boolean hasHashSlots() {
        return false;
    }

    @Override
    public RedisNode node(int slot) {
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
    public List<RedisNode> nodes() {
        return List.of(node);
    }

    @Override
    public void warmingUp(boolean now) {
        node.warmingUp(now);
    }

    @Override
    public void open() {
        node.open();
    }

    @Override
    public void close() {
        node.retire();
    }

    @Override
    public long probeSubject(RedisNode probed) {
        return 0;
    }

    @Override
    public @Nullable RedisNode redirected(ClusterRedirect redirect, RedisNode from) {
        return null; // a cluster behind the address of a single server: report its errors unchanged
    }

    @Override
    public void changed() {}
}
