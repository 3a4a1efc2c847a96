package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.Weir;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A call is charged what it cost, when that is known. */
class ChargeAfterTest {
    private final Weir weir = Weir.open(RuleSet.builder("app")
            .rule("all", Limit.fixedWindow(1_000, Duration.ofDays(1)))
            .domain("rows")
            .rule("rows-read", Limit.tokenBucket(10, Duration.ofDays(1)))
            .build());

    @AfterEach
    void close() {
        weir.close();
    }

    /** A call that costs {@code rows}. */
    private record Query(long rows) implements HttpCall {
        @Override
        public String method() {
            return "GET";
        }

        @Override
        public String path() {
            return "/rows";
        }

        @Override
        public String peer() {
            return "10.0.0.1";
        }

        @Override
        public List<String> headers(String name) {
            return List.of();
        }
    }

    private final HttpLimiter limiter = HttpLimiter.builder(weir)
            .domain("app")
            .chargeAfter("rows", (call, status) -> ((Query) call).rows())
            .build();

    private int serve(long rows) {
        LimitedCall call = limiter.decide(new Query(rows));
        call.ended(200);
        return call.status();
    }

    private long left() {
        return Objects.requireNonNull(weir.decide(Request.to("rows")
                                .asAttributes()
                                .with("endpoint", "GET /rows")
                                .takeNothing())
                        .binding())
                .remaining();
    }

    @Test
    void aCallThatCostNothingGetsItsHitBack() {
        assertThat(serve(0)).isEqualTo(200);
        assertThat(left()).isEqualTo(10);
        assertThat(serve(4)).isEqualTo(200);
        assertThat(left()).isEqualTo(6);
    }

    @Test
    void aCostThatDoesNotFitIsChargedInFull() {
        assertThat(serve(1_000)).isEqualTo(200);
        assertThat(left()).isZero();
        assertThat(serve(1)).isEqualTo(429);
    }

    @Test
    void aUnitIsChargedInTheDomainOfTheLimiterItself() {
        try (Weir own = Weir.open(RuleSet.builder("app")
                .rule("calls", Limit.fixedWindow(4, Duration.ofDays(1)))
                .rule("rows", Limit.fixedWindow(10, Duration.ofDays(1)))
                .counts("rows")
                .build())) {
            HttpLimiter byRows = HttpLimiter.builder(own)
                    .chargeAfter("app", "rows", (call, status) -> ((Query) call).rows())
                    .build();
            assertThat(status(byRows, 7)).isEqualTo(200);
            assertThat(left(own, "rows")).isEqualTo(3);
            assertThat(left(own, "calls")).as("each call is one").isEqualTo(3);
            assertThat(status(byRows, 0)).isEqualTo(200);
            assertThat(left(own, "rows")).isEqualTo(3);
            assertThat(status(byRows, 100)).isEqualTo(200);
            assertThat(left(own, "rows")).isZero();
            assertThat(status(byRows, 1)).as("a debt").isEqualTo(429);
            assertThat(left(own, "calls")).as("a denied call takes nothing").isEqualTo(1);
        }
    }

    private static int status(HttpLimiter limiter, long rows) {
        LimitedCall call = limiter.decide(new Query(rows));
        call.ended(200);
        return call.status();
    }

    private static long left(Weir weir, String rule) {
        return weir
                .decide(Request.to("app")
                        .asAttributes()
                        .with("endpoint", "GET /rows")
                        .takeNothing())
                .verdicts()
                .stream()
                .filter(each -> rule.equals(each.ruleName()))
                .findFirst()
                .orElseThrow()
                .remaining();
    }
}
