package dev.weir.server.rls;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The {@code dynamic_metadata} of an answer: the request told back, and what the rules that passed have to say. Values are
 * text, Double, Boolean, null, List and Map; members are sorted, as the reference writes them.
 */
public final class RlsMetadata {
    private RlsMetadata() {}

    /** Builds it for a request that came with {@code hitsAddend} (0 where it gave none). */
    public static Map<String, Object> of(Request request, long hitsAddend, MutableDecision decision) {
        Map<String, Object> members = new TreeMap<>();
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
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            // As in the reference, a rule that only watches lets everything pass, and one without a limit has no say.
            if (rule != null && verdict.limit() != null && (verdict.allowed() || verdict.shadowed())) {
                merge(metadata, rule.metadata());
            }
        }
        if (!metadata.isEmpty()) {
            members.put("metadata", metadata);
        }
        return members;
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

    /** The limit in protobuf's text format, which leaves out what is 0. */
    private static String text(Limit limit) {
        RlsUnit unit = RlsUnit.ofWindow(limit.windowMicros());
        String requests = limit.requests() == 0 ? "" : "requests_per_unit:" + limit.requests() + " ";
        return (requests + (unit == RlsUnit.UNKNOWN ? "" : "unit:" + unit)).strip();
    }

    /** The first writer of a member wins; maps are merged member by member. */
    @SuppressWarnings("unchecked") // maps of this tree have names as keys, by what builds them
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
