package dev.weir.server.control;

import dev.weir.TimeSource;
import dev.weir.control.ControlPlane;
import dev.weir.control.EtcdAndXdsSources;
import dev.weir.control.source.NetworkSources;
import dev.weir.control.source.SourceRules;
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

/** What operators change the server by while it runs: the database, the doors to it, and rules that come over a network. */
public final class ControlComponents implements AutoCloseable {
    private final @Nullable ControlPlane control;
    private final AdminAccess adminAccess;
    private final NetworkSources sources;

    /** Opens them one after the other; a start that is refused leaves nothing open. */
    public ControlComponents(Settings settings, FileWatcher files) throws StartException {
        control = control(settings);
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

    /** The database and what is in it; null where nothing is kept. */
    @Nullable
    public ControlPlane control() {
        return control;
    }

    public AccessControl access() {
        return adminAccess.access();
    }

    public void addTo(ServerMetrics metrics) {
        new ControlGauges(control).addTo(metrics);
        adminAccess.addTo(metrics);
    }

    /** Rules of etcd and xDS. */
    public List<SourceRules> remote() {
        return sources.all();
    }

    /** Follows switches, also over {@code meeting}, a store that all servers share, if there is one. */
    public void followSwitches(@Nullable RedisSharedStore meeting) {
        if (control != null) {
            control.switches().follow(meeting == null ? null : new RedisSwitchRelay(meeting));
        }
    }

    @Override
    public void close() {
        sources.close();
        closeControl();
    }

    private void closeControl() {
        if (control != null) {
            control.close();
        }
    }
}
