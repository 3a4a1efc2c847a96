package dev.weir.server.control;

import dev.weir.TimeSource;
import dev.weir.control.ControlPlane;
import dev.weir.server.access.AccessControl;
import dev.weir.server.access.FixedToken;
import dev.weir.server.access.LoopbackHost;
import dev.weir.server.access.RefusedCalls;
import dev.weir.server.lifecycle.FileWatcher;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.settings.ListenAddress;
import dev.weir.server.settings.Settings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sets up access to the admin port from the settings and the database. */
final class AdminAccess {
    private static final System.Logger LOG = System.getLogger(AdminAccess.class.getName());

    private final AccessControl access;

    /** Reads the fixed token, if the settings name one. {@code watch} watches its file. */
    AdminAccess(Settings settings, @Nullable ControlPlane control, TimeSource time, FileWatcher watch)
            throws StartException {
        FixedToken fixedToken = fixedToken(settings.adminToken(), watch);
        access = new AccessControl(control == null ? null : control.tokens().book(), fixedToken, time);
        requireToken(settings.admin());
    }

    private static @Nullable FixedToken fixedToken(Settings.@Nullable AdminToken set, FileWatcher watch)
            throws StartException {
        if (set == null || set.file() == null) {
            return set == null || set.secret() == null ? null : FixedToken.of(set.secret());
        }
        FileWatcher.Seen seen = FileWatcher.seen(List.of(set.file()));
        try {
            FixedToken token = FixedToken.in(set.file());
            watch.add(seen, () -> reload(token));
            return token;
        } catch (IOException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        }
    }

    private void requireToken(ListenAddress admin) throws StartException {
        if (!LoopbackHost.isBoundBy(admin.host()) && !access.mayListenAnywhere()) {
            throw new StartException("admin_host: \"" + admin.host()
                    + "\" (expected: a loopback address such as 127.0.0.1, because no token is set)\n"
                    + "Without a token the admin port cannot tell who is calling, so it may listen on loopback"
                    + " only. Set one:"
                    + " WEIR_ADMIN_TOKEN=$(openssl rand -hex 32), or --admin-token-file FILE;\n"
                    + "or, with --data or --db, start on 127.0.0.1 once and run: weir token create NAME --role admin;\n"
                    + "or stay on loopback and use a tunnel: ssh -L 6070:127.0.0.1:6070 HOST");
        }
    }

    AccessControl access() {
        return access;
    }

    private static void reload(FixedToken token) {
        try {
            token.reload();
            LOG.log(Level.INFO, "admin_token_file: loaded a new token; the previous one is no longer valid");
        } catch (IOException e) {
            LOG.log(Level.ERROR, e.getMessage() + "; the previous token stays valid");
        }
    }

    void addTo(ServerMetrics metrics) {
        metrics.gauge("ratelimit.tokens", "Tokens of the admin port, including expired ones.", access::tokens);
        for (RefusedCalls.Reason each : RefusedCalls.Reason.values()) {
            metrics.counter(
                    "ratelimit.admin.refused",
                    "Calls of the admin port that were refused, by reason.",
                    () -> access.refused().of(each),
                    "reason",
                    each.label());
        }
    }
}
