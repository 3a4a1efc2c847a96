package dev.weir.server.rls;

import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.model.VerdictText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Builds the {@code dynamic_metadata} of an answer: a copy of the request, and the metadata of the rules that passed.
 * {@code weir} has the status of a denial that is not a 429, or marks a shadow ban. Values are text, Double, Boolean, null, List and Map; members are sorted, as the reference writes them.
 */
public final class RlsMetadata {
    /** The member by which Envoy gives permits back at the end of a stream. */
    private static final String PERMIT = "permit";
    /** The member that the reference does not have. */
    private static final String OWN = "weir";

    private RlsMetadata() {}

    /**
     * Builds the metadata for a request that had {@code hitsAddend}, 0 if it gave none. Without {@code everything} it
     * has only what Weir adds to the reference; it is null if that is nothing.
     */
    public static @Nullable Map<String, Object> of(
            Request request, long hitsAddend, MutableDecision decision, boolean everything) {
        Map<String, Object> own = own(decision);
        TakenPermits permits = decision.permits();
        Map<String, Object> members = new TreeMap<>();
        if (!own.isEmpty()) {
            members.put(OWN, own);
        }
        if (!everything) {
            if (permits != null) {
                members.put("metadata", Map.of(PERMIT, (double) permits.taken()));
            }
            return members.isEmpty() ? null : members;
        }
        members.put("domain", request.domain());
        List<Object> descriptors = new ArrayList<>(request.descriptors());
        for (int i = 0; i < request.descriptors(); i++) {
            descriptors.add(descriptor(request, i));
        }
        members.put("descriptors", descriptors);
        if (hitsAddend != 0) {
            members.put("hitsAddend", (double) hitsAddend);
        }
        Map<String, Object> metadata = new TreeMap<>();
        if (permits != null) {
            metadata.put(PERMIT, (double) permits.taken());
        }
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            // As in the reference, a shadow rule lets everything pass, and a rule without a limit adds nothing.
            if (rule != null && verdict.limit() != null && (verdict.allowed() || verdict.shadowed())) {
                merge(metadata, rule.metadata());
            }
        }
        if (!metadata.isEmpty()) {
            members.put("metadata", metadata);
        }
        return members;
    }

    /**
     * Builds the metadata of an answer to {@code weir-remote}: all that a decision says and the protocol has no field
     * for. {@code verdicts} has a policy and counts for each verdict, as {@link VerdictText} writes them.
     */
    public static Map<String, Object> detailed(MutableDecision decision) {
        Map<String, Object> own = new TreeMap<>();
        own.put("status", (double) decision.status());
        own.put("now_us", (double) decision.nowMicros());
        MutableVerdict binding = decision.binding();
        if (binding != null) {
            String rule = binding.ruleName();
            if (rule != null) {
                own.put("rule", rule);
            }
            own.put("reason", binding.reason().name().toLowerCase(Locale.ROOT));
            if (!decision.allowed() && binding.retryAfterMicros() > 0) {
                own.put("retry_after_ms", (double) ceilMillis(binding.retryAfterMicros()));
            }
        }
        if (decision.delayMicros() > 0) {
            own.put("delay_ms", (double) ceilMillis(decision.delayMicros()));
        }
        if (decision.degraded()) {
            own.put("degraded", true);
        }
        TakenPermits permits = decision.permits();
        if (permits != null) {
            own.put(PERMIT, (double) permits.taken());
            if (!permits.unenforced().isEmpty()) {
                own.put("unenforced", permits.unenforced());
            }
        }
        String counter = decision.counterName();
        if (counter != null) {
            own.put("counter", counter);
        }
        String bucket = decision.counterBucket();
        if (bucket != null) {
            own.put("bucket", bucket);
        }
        Ban ban = decision.ban();
        if (ban != null) {
            own.put("reason", "banned");
            own.put("ban", ban.subject());
            own.put("ban_reason", ban.reason());
            if (ban.untilMicros() != Ban.FOREVER) {
                own.put("ban_until_us", (double) ban.untilMicros());
            }
        }
        long lease = ClientLease.micros(decision);
        if (lease > 0) {
            own.put("lease_us", (double) lease);
        }
        List<Object> verdicts = new ArrayList<>(2 * decision.size());
        for (int i = 0; i < decision.size(); i++) {
            verdicts.add(VerdictText.policy(decision.verdict(i)));
            verdicts.add(VerdictText.counts(decision.verdict(i)));
        }
        own.put("verdicts", verdicts);
        return Map.of(OWN, own);
    }

    private static long ceilMillis(long micros) {
        return micros / 1_000 + (micros % 1_000 > 0 ? 1 : 0);
    }

    private static Map<String, Object> own(MutableDecision decision) {
        if (decision.isShadowBanned()) {
            return Map.of("shadow_ban", true);
        }
        int status = decision.status();
        boolean told = status != 200 && status != Cause.QUOTA.status();
        return told ? Map.of("status", (double) status) : Map.of();
    }

    private static Map<String, Object> descriptor(Request request, int index) {
        Map<String, Object> members = new TreeMap<>();
        List<Object> entries = new ArrayList<>();
        for (int i = request.start(index), end = request.end(index); i < end; i++) {
            entries.add(request.key(i) + "=" + request.value(i));
        }
        members.put("entries", entries);
        Limit limit = request.override(index);
        if (limit != null) {
            members.put("limit", text(limit));
        }
        if (request.hasOwnHits(index)) {
            members.put("hitsAddend", Math.abs((double) request.hitsOf(index)));
        }
        return members;
    }

    /** The limit in protobuf's text format, which omits zeros. */
    private static String text(Limit limit) {
        RlsUnit unit = RlsUnit.of(limit);
        String requests = limit.requests() == 0 ? "" : "requests_per_unit:" + limit.requests() + " ";
        return (requests + (unit == RlsUnit.UNKNOWN ? "" : "unit:" + unit)).strip();
    }

    /** Merges maps member by member. The first value of a member wins. */
    @SuppressWarnings("unchecked") // maps of this tree have text keys by construction
    private static void merge(Map<String, Object> into, Map<String, ?> from) {
        from.forEach((name, value) -> {
            if (!into.containsKey(name)) {
                into.put(name, value instanceof Map ? copy((Map<String, ?>) value) : value);
            } else if (into.get(name) instanceof Map && value instanceof Map) {
                merge((Map<String, Object>) into.get(name), (Map<String, ?>) value);
            }
        });
    }

    private static Map<String, Object> copy(Map<String, ?> from) {
        Map<String, Object> into = new TreeMap<>();
        merge(into, from);
        return into;
    }
}
