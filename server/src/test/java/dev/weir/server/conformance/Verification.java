package dev.weir.server.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.conformance.RlsReply.Answer;
import dev.weir.server.conformance.RlsReply.Refusal;
import dev.weir.server.conformance.RlsReply.Status;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.LongStream;

/** Compares what came back with what a scenario expects. */
final class Verification {
    private Verification() {}

    /** {@code secondsBefore} and {@code secondsAfter} are the server's clock around the call, as far as the caller knows it. */
    static void verify(
            String what,
            ConformanceScenario.Outcome outcome,
            RlsReply reply,
            String domain,
            long secondsBefore,
            long secondsAfter) {
        if (outcome instanceof ConformanceScenario.Refused refused) {
            assertThat(reply).as(what).isInstanceOf(Refusal.class);
            Refusal refusal = (Refusal) reply;
            assertThat(refusal.status()).as(what).isIn("400", "INVALID_ARGUMENT");
            assertThat(refusal.message()).as(what).contains(refused.message());
            return;
        }
        ConformanceScenario.Decided expected = (ConformanceScenario.Decided) outcome;
        assertThat(reply).as(what).isInstanceOf(Answer.class);
        Answer answer = (Answer) reply;
        assertThat(answer.statuses().stream()
                        .map(s -> new Expected(s.code(), s.limit(), s.remaining()))
                        .toList())
                .as(what)
                .isEqualTo(expected.statuses());
        assertThat(answer.code()).as("%s: overall code", what).isEqualTo(expected.code());
        for (Status status : answer.statuses()) {
            resets(what, status, secondsBefore, secondsAfter);
        }
        ConformanceScenario.Headers headers = expected.headers();
        if (headers != null) {
            headers(what, answer, headers, secondsBefore, secondsAfter);
        }
        JsonObject metadata = expected.metadata();
        assertThat(answer.metadata())
                .as("%s: dynamic metadata", what)
                .isEqualTo(
                        metadata == null
                                ? null
                                : new JsonObject(metadata.encode().replace("$domain", domain)));
    }

    private static void resets(String what, Status status, long before, long after) {
        if (status.limit() == null) {
            assertThat(status.resetSeconds())
                    .as("%s: reset without a limit", what)
                    .isNull();
            return;
        }
        assertThat(status.resetSeconds())
                .as("%s: duration_until_reset", what)
                .isNotNull()
                .isIn(candidates(status.limit().unit(), before, after));
    }

    private static void headers(
            String what, Answer answer, ConformanceScenario.Headers expected, long before, long after) {
        if (expected.names().isEmpty()) {
            assertThat(answer.headers()).as("%s: headers", what).isEmpty();
            return;
        }
        assertThat(answer.headers().stream().map(RlsReply.Header::name).toList())
                .as("%s: header names", what)
                .isEqualTo(expected.names());
        List<String> values =
                answer.headers().stream().map(RlsReply.Header::value).toList();
        assertThat(values.subList(0, 2))
                .as("%s: limit and remaining", what)
                .containsExactly(String.valueOf(expected.limit()), String.valueOf(expected.remaining()));
        assertThat(Long.valueOf(values.get(2)))
                .as("%s: reset header", what)
                .isIn(candidates(expected.unit(), before, after));
    }

    /** The seconds to the end of the window, for each second the call may have been decided in. */
    private static List<Long> candidates(ProtocolUnit unit, long before, long after) {
        return LongStream.rangeClosed(before - 1, after + 1)
                .mapToObj(now -> unit.seconds - now % unit.seconds)
                .distinct()
                .toList();
    }
}
