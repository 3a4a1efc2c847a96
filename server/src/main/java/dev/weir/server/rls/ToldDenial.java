package dev.weir.server.rls;

import dev.weir.http.internal.DenialProblem;
import dev.weir.http.internal.VerdictNumbers;
import dev.weir.internal.model.MutableDecision;
import dev.weir.server.http.HttpAnswer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A denial whose status is not 429. The protocol has one code for every denial, so the status travels beside it: in a
 * header, in the metadata, and in the body that Envoy sends to its caller.
 */
public final class ToldDenial {
    private static final String STATUS_HEADER = "x-weir-status";

    private final MutableDecision decision;

    ToldDenial(MutableDecision decision) {
        this.decision = decision;
    }

    /** The headers for Envoy's caller. */
    public Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(STATUS_HEADER, Integer.toString(decision.status()));
        headers.put("content-type", HttpAnswer.PROBLEM);
        VerdictNumbers retry = DenialProblem.retry(decision);
        if (retry != null) {
            headers.put("retry-after", Long.toString(retry.retryAfterSeconds()));
        }
        return headers;
    }

    /** The body for Envoy's caller: the problem. */
    public byte[] body() {
        return DenialProblem.of(decision);
    }
}
