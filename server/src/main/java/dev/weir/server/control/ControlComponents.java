package dev.weir.server.control;

import dev.weir.TimeSource;
import dev.weir.control.ControlPlane;
import dev.weir.control.DatabaseNodes;
import dev.weir.control.EtcdAndXdsSources;
import dev.weir.control.bans.Bans;
import dev.weir.control.source.NetworkSources;
import dev.weir.control.source.SourceRules;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.access.AccessControl;
import dev.weir.server.lifecycle.FileWatcher;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.rules.WatchedRuleFiles;
import dev.weir.server.settings.Settings;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens what operators use to change a running server: the database, the access to the admin port, and rule sources on
 * the network.
 */
public final class ControlComponents implements AutoCloseable {
    private final @Nullable ControlPlane control;
    private final Bans bans;
    private final AdminAccess adminAccess;
    private final NetworkSources sources;

    /** Opens the components one after the other. If one fails, the others are closed. */
    public ControlComponents(Settings settings, FileWatcher files) throws StartException {
        control = control(settings);
        bans = control == null ? new Bans(null, null) : control.bans();
        boolean open = false;
        try {
            adminAccess = new AdminAccess(settings, control, TimeSource.system(), files);
            sources = EtcdAndXdsSources.open(
                    settings.sources(),
                    WatchedRuleFiles.options(settings),
                    settings.control().data());
            open = true;
        } catch (IOException e) {
            throw new StartException(FileErrors.what(e), e);
        } finally {
            if (!open) {
                closeControl();
            }
        }
    }

    private static @Nullable ControlPlane control(Settings settings) throws StartException {
        if (!settings.control().isKept()) {
            return null;
        }
        try {
            return ControlPlane.open(settings.control(), WatchedRuleFiles.options(settings));
        } catch (IOException e) {
            throw new StartException(FileErrors.what(e), e);
        }
    }

    /** The control plane over the database; null if the server has none. */
    @Nullable
    public ControlPlane control() {
        return control;
    }

    /** The servers that share the database; null if nobody can. */
    public @Nullable DatabaseNodes nodes() {
        return control == null ? null : control.nodes();
    }

    /** The heaviest callers of the servers that share the database; null if nobody does. */
    public @Nullable DatabaseNodes topKeys() {
        return control == null ? null : control.topKeys();
    }

    /** Says that the database does not answer or is damaged; empty while it works, and without one. */
    public String degraded() {
        if (control == null || control.isConnected()) {
            return "";
        }
        return "database: " + (control.isUsable() ? "unreachable" : "damaged (the log says how to recover it)")
                + (control.isKnown()
                        ? ", so its last known contents stay in force and changes are refused"
                        : ", and there is no copy of it, so only rules of other sources are in force and changes are refused");
    }

    public AccessControl access() {
        return adminAccess.access();
    }

    public void addTo(ServerMetrics metrics) {
        new ControlGauges(control).addTo(metrics);
        adminAccess.addTo(metrics);
    }

    /** The rules of etcd and xDS. */
    public List<SourceRules> remote() {
        return sources.all();
    }

    /**
     * Follows the switches in the database and, if {@code noteStore} is not null, those that servers pass on through
     * it, signed with {@code secret}. The result ends that; close it before the store.
     */
    public AutoCloseable followSwitches(@Nullable RedisSharedStore noteStore, @Nullable FleetSecret secret) {
        ControlPlane followed = control;
        if (followed == null) {
            return () -> {};
        }
        followed.switches().follow(noteStore == null ? null : RedisNoteRelay.ofSwitches(noteStore), secret);
        return followed.switches();
    }

    /** The bans: with a database, those in it; those that rules make in any case. */
    public Bans bans() {
        return bans;
    }

    /**
     * Follows the bans that servers pass on through {@code noteStore}, if it is not null. The result ends that; close it
     * before the store.
     */
    public AutoCloseable followBans(@Nullable RedisSharedStore noteStore, @Nullable FleetSecret secret) {
        bans.follow(noteStore == null ? null : RedisNoteRelay.ofBans(noteStore), secret);
        return bans;
    }

    @Override
    public void close() {
        sources.close();
        closeControl();
    }

    private void closeControl() {
        bans.close();
        if (control != null) {
            control.close();
        }
    }
}
