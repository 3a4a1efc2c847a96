package dev.weir.server.admin;

import dev.weir.control.ControlPlane;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.rules.RuleLayer;
import dev.weir.control.switches.Switch;
import dev.weir.match.Quota;
import dev.weir.server.http.RestException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The control plane, or what is there without one: nothing to read, and nowhere to write. */
final class Control {
    private final @Nullable ControlPlane plane;

    Control(@Nullable ControlPlane plane) {
        this.plane = plane;
    }

    /**
     * What changes are made in.
     *
     * @throws RestException where there is nothing to keep them in; it says what to set
     */
    ControlPlane required() {
        if (plane == null) {
            throw RestException.conflict("this server keeps nothing: start it with --data DIR (or WEIR_DATA), or with"
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
    List<Switch> switches() {
        return plane == null ? List.of() : plane.switches().active();
    }

    RuleLayer rules() {
        return plane == null ? RuleLayer.EMPTY : plane.rules();
    }

    @Nullable
    StoredQuota quota(String apiKey) {
        return plane == null ? null : plane.quotas().get(apiKey);
    }

    /** What holds for {@code apiKey} now. */
    @Nullable
    Quota inForce(String apiKey) {
        return plane == null ? null : plane.quotas().of(apiKey);
    }

    List<StoredQuota> quotas(String after, int most) {
        return plane == null ? List.of() : plane.quotas().page(after, most);
    }
}
