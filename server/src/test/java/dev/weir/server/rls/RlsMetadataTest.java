package dev.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.Verdict.Reason;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RlsMetadataTest {
    private static final Limit LIMIT = Limit.fixedWindow(5, Duration.ofMinutes(1));

    private final MutableDecision decision = new MutableDecision();

    RlsMetadataTest() {
        decision.begin(0);
    }

    @Test
    void itTellsTheRequestBack() {
        Request request = Request.to("d").with("a", "1").with("b", "x=y");
        request.descriptor().with("c", "2").descriptorHits(0).override(LIMIT);
        assertThat(RlsMetadata.of(request, 3, decision, true))
                .isEqualTo(Map.of(
                        "domain",
                        "d",
                        "hitsAddend",
                        3.0,
                        "descriptors",
                        List.of(
                                Map.of("entries", List.of("a=1", "b=x=y")),
                                Map.of(
                                        "entries",
                                        List.of("c=2"),
                                        "hitsAddend",
                                        0.0,
                                        "limit",
                                        "requests_per_unit:5 unit:MINUTE"))));
    }

    @Test
    void whatTheRulesThatPassedSayIsMergedMemberByMemberAndTheFirstToSayItWins() {
        passed(Map.of("pool", "a", "deep", Map.of("x", 1.0)), Reason.WITHIN_LIMIT);
        passed(Map.of("pool", "b", "deep", Map.of("x", 2.0, "y", 3.0), "more", true), Reason.WITHIN_LIMIT);
        passed(Map.of("never", "shown"), Reason.OVER_LIMIT);
        assertThat(Objects.requireNonNull(RlsMetadata.of(Request.to("d").with("a", "1"), 0, decision, true))
                        .get("metadata"))
                .isEqualTo(Map.of("pool", "a", "deep", Map.of("x", 1.0, "y", 3.0), "more", true));
    }

    @Test
    void mergingChangesNoRule() {
        Map<String, Object> first = Map.of("deep", Map.of("x", 1.0));
        passed(first, Reason.WITHIN_LIMIT);
        passed(Map.of("deep", Map.of("y", 2.0)), Reason.WITHIN_LIMIT);
        RlsMetadata.of(Request.to("d").with("a", "1"), 0, decision, true);
        assertThat(first).isEqualTo(Map.of("deep", Map.of("x", 1.0)));
    }

    @Test
    void nothingToSayIsLeftOut() {
        passed(Map.of(), Reason.WITHIN_LIMIT);
        assertThat(RlsMetadata.of(Request.to("d").with("a", "1"), 0, decision, true))
                .containsOnlyKeys("domain", "descriptors");
    }

    @Test
    void aDenialThatIsNo429HasItsStatusEvenIfNothingElseIsAskedFor() {
        Rule rule = Rule.builder("d", "r").limit(LIMIT).denyAs(Cause.CAPACITY).build();
        decision.add().set(rule, LIMIT, 0, 1, Reason.OVER_LIMIT, 0, 1, 1, 0);
        decision.end(false);
        Request request = Request.to("d").with("a", "1");
        assertThat(RlsMetadata.of(request, 0, decision, false)).isEqualTo(Map.of("weir", Map.of("status", 503.0)));
        assertThat(RlsMetadata.of(request, 0, decision, true)).containsOnlyKeys("domain", "descriptors", "weir");
    }

    @Test
    void aDenialWith429AddsNothingToWhatTheReferenceSays() {
        Rule rule = Rule.builder("d", "r").limit(LIMIT).build();
        decision.add().set(rule, LIMIT, 0, 1, Reason.OVER_LIMIT, 0, 1, 1, 0);
        decision.end(false);
        assertThat(RlsMetadata.of(Request.to("d").with("a", "1"), 0, decision, false))
                .isNull();
    }

    private void passed(Map<String, ?> metadata, Reason reason) {
        Rule rule = Rule.builder("d", "r").limit(LIMIT).metadata(metadata).build();
        decision.add().set(rule, LIMIT, 0, 1, reason, 1, 1, 0, 0);
    }
}
