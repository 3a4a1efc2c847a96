package dev.weir.server;

import dev.weir.control.ControlPlane;
import dev.weir.control.Sources;
import dev.weir.control.source.RemoteRules;
import dev.weir.control.source.RuleSources;
import dev.weir.model.TimeSource;
import dev.weir.redis.RedisStore;
import dev.weir.rules.Unreadable;
import dev.weir.server.settings.Settings;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators change the server by while it runs: the database, the doors to it, and rules that come over a network. */
final class ControlSide implements AutoCloseable {
    private final @Nullable ControlPlane control;
    private final Doors doors;
    private final RuleSources sources;

    /** Opens them one after the other; a start that is refused leaves nothing open. */
    ControlSide(Settings settings, FileWatch files) throws StartException {
        control = control(settings);
        boolean open = false;
        try {
            doors = new Doors(settings, control, TimeSource.system(), files);
            sources = Sources.open(
                    settings.sources(),
                    RuleFeed.options(settings),
                    settings.control().data());
            open = true;
        } catch (IOException e) {
            throw new StartException(Unreadable.what(e), e);
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
            return ControlPlane.open(settings.control(), RuleFeed.options(settings));
        } catch (IOException e) {
            throw new StartException(Unreadable.what(e), e);
        }
    }

    /** The database and what is in it; null where nothing is kept. */
    @Nullable
    ControlPlane control() {
        return control;
    }

    Doors doors() {
        return doors;
    }

    /** Rules of etcd and xDS. */
    List<RemoteRules> remote() {
        return sources.all();
    }

    /** Follows switches, also over {@code meeting}, a store that all servers share, if there is one. */
    void followSwitches(@Nullable RedisStore meeting) {
        if (control != null) {
            control.switches().follow(meeting == null ? null : new RedisBoard(meeting));
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
