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

/** Who is let in on the admin port, put together from settings and database. */
final class AdminAccess {
    private static final System.Logger LOG = System.getLogger(AdminAccess.class.getName());

    private final AccessControl access;

    /** A token that stands in a file is watched by {@code watch}. */
    AdminAccess(Settings settings, @Nullable ControlPlane control, TimeSource time, FileWatcher watch)
            throws StartException {
        FixedToken fixed = fixed(settings.adminToken(), watch);
        access = new AccessControl(control == null ? null : control.tokens().book(), fixed, time);
        requireToken(settings.admin());
    }

    private static @Nullable FixedToken fixed(Settings.@Nullable AdminToken set, FileWatcher watch)
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
                    + "\" (expected: a loopback address such as 127.0.0.1, as long as there is no token)\n"
                    + "Without a token the admin port cannot tell who calls, so only this machine may reach it. Set one:"
                    + " WEIR_ADMIN_TOKEN=$(openssl rand -hex 32), or --admin-token-file FILE;\n"
                    + "or, with --data or --db, start on 127.0.0.1 once and run: weir token create NAME --role admin;\n"
                    + "or stay on loopback and go through a tunnel: ssh -L 6070:127.0.0.1:6070 HOST");
        }
    }

    AccessControl access() {
        return access;
    }

    private static void reload(FixedToken token) {
        try {
            token.reload();
            LOG.log(Level.INFO, "admin_token_file holds a new token; the one of before opens nothing any more");
        } catch (IOException e) {
            LOG.log(Level.ERROR, e.getMessage() + "; the token of before stays");
        }
    }

    void addTo(ServerMetrics metrics) {
        metrics.gauge("weir.tokens", "Tokens that open the admin port, also those that have run out.", access::tokens);
        for (RefusedCalls.Reason each : RefusedCalls.Reason.values()) {
            metrics.counter(
                    "weir.admin.refused",
                    "Calls that needed a token or a role and were turned away, by the reason.",
                    () -> access.refused().of(each),
                    "reason",
                    each.label());
        }
    }
}
