package dev.weir.server.rls;

import dev.weir.Algorithm;
import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.http.internal.DenialProblem;
import dev.weir.http.internal.VerdictNumbers;
import dev.weir.internal.model.BindingVerdict;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Presents a decision as the answer of Envoy's rate limit service: the overall code, and a status for each descriptor
 * in order. An event loop reuses one object for all decisions, without allocating.
 *
 * <p>In Envoy's format a descriptor matches at most one rule. In Weir's it can match many, and its status is that of
 * the one that {@linkplain BindingVerdict binds}.
 */
public final class RlsAnswer {
    private static final int NONE = -1;
    /** Tells the caller of a denied request how long it would have waited in the queue of the rule. */
    private static final String DELAY_HEADER = "x-weir-delay-ms";
    /** Tells the upstream of a shadow ban; Envoy never sends request headers to the caller. */
    private static final Map<String, String> SHADOW_BANNED = Map.of("x-weir-shadow-ban", "true");

    private final RlsSettings settings;
    private final RlsStatus status = new RlsStatus();
    private MutableDecision decision = new MutableDecision();
    private int descriptors;
    /** The index of the verdict that binds each descriptor, or {@link #NONE}. */
    private int[] binding = new int[8];

    public RlsAnswer(RlsSettings settings) {
        this.settings = settings;
    }

    /** Sets the decision to present, on a request with {@code descriptors} descriptors. */
    public RlsAnswer of(MutableDecision decision, int descriptors) {
        this.decision = decision;
        this.descriptors = descriptors;
        if (descriptors > binding.length) {
            binding = new int[Math.max(descriptors, binding.length * 2)];
        }
        Arrays.fill(binding, 0, descriptors, NONE);
        for (int i = 0, size = decision.size(); i < size; i++) {
            MutableVerdict verdict = decision.verdict(i);
            int best = binding[verdict.descriptor()];
            if (best == NONE || BindingVerdict.isBefore(verdict, decision.verdict(best))) {
                binding[verdict.descriptor()] = i;
            }
        }
        return this;
    }

    public int overallCode() {
        return decision.allowed() ? RlsCode.OK : RlsCode.OVER_LIMIT;
    }

    /** The number of descriptors of the request, and so of statuses. */
    public int size() {
        return descriptors;
    }

    /** The status of one descriptor, valid until the next call. */
    public RlsStatus status(int descriptor) {
        int index = binding[descriptor];
        if (index == NONE) {
            return status.of(null, false);
        }
        MutableVerdict verdict = decision.verdict(index);
        return status.of(verdict, over(verdict));
    }

    /** Whether the answer has nothing but its code and its statuses, as most have. */
    public boolean isPlain() {
        return settings.isPlain()
                && (decision.allowed() ? !decision.isShadowBanned() : denial() == null && waiting() == null);
    }

    /** The headers for Envoy's caller. */
    public Map<String, String> responseHeaders() {
        ToldDenial denial = denial();
        Map<String, String> own = denial == null ? Map.of() : denial.headers();
        VerdictNumbers waiting = waiting();
        return headers(settings.responseHeaders(), waiting == null ? own : withDelay(own, waiting));
    }

    /**
     * The numbers of a denial whose wait Envoy cannot know: by a rule with a queue, in which Envoy does not wait, and by
     * a concurrency limit, whose reset says when its permits expire. Null for any other answer.
     */
    private @Nullable VerdictNumbers waiting() {
        MutableVerdict binding = decision.allowed() ? null : decision.binding();
        Rule rule = binding == null ? null : binding.rule();
        Limit limit = binding == null ? null : binding.limit();
        boolean permits = limit != null && limit.algorithm() == Algorithm.CONCURRENCY;
        return rule != null && (permits || rule.queue() != null) ? DenialProblem.retry(decision) : null;
    }

    private static Map<String, String> withDelay(Map<String, String> own, VerdictNumbers waiting) {
        Map<String, String> headers = new LinkedHashMap<>(own);
        headers.put("retry-after", Long.toString(waiting.retryAfterSeconds()));
        if (!waiting.isConcurrency()) {
            long micros = waiting.verdict().retryAfterMicros();
            headers.put(DELAY_HEADER, Long.toString(micros / 1_000 + (micros % 1_000 > 0 ? 1 : 0)));
        }
        return headers;
    }

    /** The headers for Envoy's upstream. */
    public Map<String, String> requestHeaders() {
        return headers(settings.requestHeaders(), decision.isShadowBanned() ? SHADOW_BANNED : Map.of());
    }

    private Map<String, String> headers(RlsSettings.@Nullable Headers names, Map<String, String> more) {
        int described = names == null ? NONE : headersOf();
        if (names == null || described == NONE) {
            return more;
        }
        RlsStatus of = status(described);
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(names.limit(), Long.toString(of.requestsPerUnit()));
        headers.put(names.remaining(), Long.toString(of.remaining()));
        headers.put(names.reset(), Long.toString(of.resetSeconds()));
        headers.putAll(more);
        return headers;
    }

    /**
     * The descriptor that the three headers describe, or -1 for no headers: the last one over an ordinary limit, else
     * the first with the least remaining.
     */
    int headersOf() {
        int chosen = NONE;
        if (settings.responseHeaders() == null && settings.requestHeaders() == null) {
            return chosen;
        }
        long least = RlsStatus.MAX;
        for (int i = 0; i < descriptors; i++) {
            RlsStatus each = status(i);
            if (each.limited()) {
                MutableVerdict verdict = decision.verdict(binding[i]);
                if (over(verdict) && !quota(verdict)) {
                    least = -1;
                    chosen = i;
                } else if (each.remaining() < least) {
                    least = each.remaining();
                    chosen = i;
                }
            }
        }
        return chosen;
    }

    public RlsSettings settings() {
        return settings;
    }

    /** The denial to be told beside the code OVER_LIMIT, which Envoy takes for a 429; null if it is one, or none. */
    public @Nullable ToldDenial denial() {
        return decision.status() == 200 || decision.status() == Cause.QUOTA.status() ? null : new ToldDenial(decision);
    }

    /**
     * Whether the verdict is over its limit. This includes quotas, even if the request passes by another one: the
     * overall code says that.
     */
    private static boolean over(MutableVerdict verdict) {
        return !verdict.allowed() && !verdict.shadowed();
    }

    private boolean quota(MutableVerdict verdict) {
        Rule rule = verdict.rule();
        return settings.quotaMode() || (rule != null && rule.quota());
    }
}
