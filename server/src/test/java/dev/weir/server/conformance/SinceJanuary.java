package dev.weir.server.conformance;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The answers of later versions of the reference, made from one of January's: a quota that is over says so, with its
 * reset, all of them together deny, and the dynamic metadata tells nothing of them.
 */
final class SinceJanuary {
    /** January leaves the reset of a used-up quota out, and so shows which are. */
    static final long UNSAID = -1;

    private SinceJanuary() {}

    static RlsReply of(RlsReply reply, boolean shadow) {
        if (!(reply instanceof RlsReply.Answer answer)) {
            return reply;
        }
        boolean deny = answer.statuses().stream().anyMatch(SinceJanuary::isOverQuota)
                && answer.statuses().stream().noneMatch(s -> isQuota(s) && !isOverQuota(s));
        List<RlsReply.Status> statuses = new ArrayList<>();
        for (RlsReply.Status s : answer.statuses()) {
            statuses.add(
                    isOverQuota(s)
                            ? new RlsReply.Status(ProtocolCode.OVER_LIMIT, s.limit(), s.remaining(), UNSAID)
                            : s);
        }
        ProtocolCode code = deny && !shadow ? ProtocolCode.OVER_LIMIT : answer.code();
        return new RlsReply.Answer(
                code, statuses, answer.headers(), metadata(Objects.requireNonNull(answer.metadata())));
    }

    private static boolean isQuota(RlsReply.Status status) {
        return status.limit() != null && status.limit().name().startsWith(RandomRules.QUOTA);
    }

    private static boolean isOverQuota(RlsReply.Status status) {
        return isQuota(status) && status.resetSeconds() == null;
    }

    private static JsonObject metadata(JsonObject metadata) {
        metadata.remove("quotaModeEnabled");
        metadata.remove("quotaModeViolations");
        for (Object each : metadata.getJsonArray("descriptors")) {
            JsonObject descriptor = (JsonObject) each;
            if (descriptor.containsKey("limit")) {
                // Go writes one space or two here, by the build's hash, so that nobody relies on it.
                descriptor.put("limit", descriptor.getString("limit").replace("  ", " "));
            }
        }
        return metadata;
    }
}
