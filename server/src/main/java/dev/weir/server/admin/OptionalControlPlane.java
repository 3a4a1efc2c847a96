package dev.weir.server.admin;

import dev.weir.control.ControlPlane;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.rules.DatabaseLayer;
import dev.weir.control.switches.SwitchChange;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.server.http.HttpProblemException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The control plane, or what is there without one: nothing to read, and nowhere to write. */
final class OptionalControlPlane {
    private final @Nullable ControlPlane plane;

    OptionalControlPlane(@Nullable ControlPlane plane) {
        this.plane = plane;
    }

    /**
     * What changes are made in.
     *
     * @throws HttpProblemException where there is nothing to keep them in; it says what to set
     */
    ControlPlane required() {
        if (plane == null) {
            throw HttpProblemException.conflict(
                    "this server keeps nothing: start it with --data DIR (or WEIR_DATA), or with"
                            + " --db postgresql://… (WEIR_DB), and rules and quotas can be changed here");
        }
        return plane;
    }

    /** What changes are made in, where there is one. */
    @Nullable
    ControlPlane plane() {
        return plane;
    }

    /** What is switched. */
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

    /** What holds for {@code apiKey} now. */
    @Nullable
    CallerOverrides inForce(String apiKey) {
        return plane == null ? null : plane.quotas().of(apiKey);
    }

    List<StoredQuota> quotas(String after, int most) {
        return plane == null ? List.of() : plane.quotas().page(after, most);
    }
}
