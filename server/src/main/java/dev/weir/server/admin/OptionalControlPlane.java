package dev.weir.server.admin;

import dev.weir.control.ControlPlane;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.rules.DatabaseLayer;
import dev.weir.control.switches.SwitchChange;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.server.http.HttpProblemException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The control plane, or a stand-in without data if the server has none. */
final class OptionalControlPlane {
    private final @Nullable ControlPlane plane;

    OptionalControlPlane(@Nullable ControlPlane plane) {
        this.plane = plane;
    }

    /**
     * The control plane.
     *
     * @throws HttpProblemException if the server has none; the message says what to set
     */
    ControlPlane required() {
        return required("this server has no database: start it with --data DIR (or WEIR_DATA) or with"
                + " --db postgresql://… (WEIR_DB), and it keeps rules, quotas, tokens, bans and the audit");
    }

    /**
     * The control plane, for a switch.
     *
     * @throws HttpProblemException if the server has none; the message says what to set
     */
    ControlPlane requiredForSwitches() {
        return required("this server has no database to keep a switch in: start it with --db postgresql://… (WEIR_DB),"
                + " which all servers share, or each with --data DIR (WEIR_DATA) and the same fleet_secret"
                + " (WEIR_FLEET_SECRET), so that servers on one Redis follow each other's switches");
    }

    /**
     * Requires the control plane, for a ban that a person makes or removes. Bans that rules made need none.
     *
     * @throws HttpProblemException if the server has none; the message says what to set
     */
    void requireForBans() {
        required("this server has no database to keep a ban in: start it with --db postgresql://… (WEIR_DB), which all"
                + " servers share, or each with --data DIR (WEIR_DATA) and the same fleet_secret (WEIR_FLEET_SECRET),"
                + " so that servers on one Redis follow each other's bans");
    }

    private ControlPlane required(String otherwise) {
        if (plane == null) {
            throw HttpProblemException.conflict(otherwise);
        }
        return plane;
    }

    /** The control plane, or null. */
    @Nullable
    ControlPlane plane() {
        return plane;
    }

    /** The switches that are set. */
    List<SwitchChange> switches() {
        return plane == null ? List.of() : plane.switches().active();
    }

    DatabaseLayer rules() {
        return plane == null ? DatabaseLayer.EMPTY : plane.rules();
    }

    @Nullable
    StoredQuota quota(String apiKey) {
        return plane == null ? null : plane.quotas().get(apiKey);
    }

    /** The overrides of {@code apiKey} that are in force now. */
    @Nullable
    CallerOverrides inForce(String apiKey) {
        return plane == null ? null : plane.quotas().of(apiKey);
    }

    /** The first quotas after a key, of one tier or of any. */
    List<StoredQuota> quotas(String after, @Nullable String tier, int limit) {
        return plane == null ? List.of() : plane.quotas().page(after, tier, limit);
    }
}
