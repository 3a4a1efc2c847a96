package dev.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.LoadShedder;
import dev.weir.LoadShedder.Admission;
import dev.weir.LoadShedder.Priority;
import dev.weir.TimeSource;
import dev.weir.Weir;
import dev.weir.http.HttpCall;
import dev.weir.http.HttpLimiter;
import dev.weir.http.LimitedCall;
import dev.weir.rules.Rules;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Four limiters on every call: the caller's rate, its calls in flight, the capacity of the service over the fleet, and the
 * shedder of this process. The answer says which one spoke.
 */
class FourLimitersTest {
    private static final TimeSource STANDS_STILL = () -> 1_800_000_000_000_000L;

    private final LoadShedder workers = LoadShedder.create(Duration.ZERO, STANDS_STILL);
    private final Weir weir = Weir.builder(Rules.yaml("""
                    domain: shop
                    key_by: api_key
                    services:
                      payments:
                        match: { endpoint: "/pay" }
                        capacity: { requests: 40, window: 1s, reserve: 0.2 }
                    priorities:
                      - { match: { peer_group: checkout }, is: critical }
                    rules:
                      - name: rate
                        limit: { requests: 3, window: 1h, algorithm: fixed_window }
                      - name: calls
                        limit: { requests: 2, algorithm: concurrency }
                      - name: not-for-free
                        match: { tier: free }
                        limit: { requests: 0, window: 1s }
                        deny_as: 403
                    """)).time(STANDS_STILL).open();
    private final HttpLimiter limiter = HttpLimiter.builder(weir)
            .attribute("tier", call -> call.header("X-Tier"))
            // Set by the mesh, which removes it from calls that come from outside.
            .attribute("peer_group", call -> call.header("X-Peer-Group"))
            .shedder(workers, call -> call.header("X-Peer-Group") == null ? Priority.WRITE : Priority.CRITICAL)
            .build();

    @AfterEach
    void close() {
        weir.close();
    }

    private record Call(Map<String, String> fields) implements HttpCall {
        @Override
        public String method() {
            return "POST";
        }

        @Override
        public String path() {
            return "/pay";
        }

        @Override
        public List<String> headers(String name) {
            String value = fields.get(name);
            return value == null ? List.of() : List.of(value);
        }

        @Override
        public String peer() {
            return "192.0.2.1";
        }
    }

    private LimitedCall call(String key) {
        return limiter.decide(new Call(Map.of("X-API-Key", key)));
    }

    private static @Nullable String spoke(LimitedCall call) {
        return Objects.requireNonNull(Objects.requireNonNull(call.decision()).binding())
                .ruleName();
    }

    private static String problem(LimitedCall call) {
        return new String(call.body(), StandardCharsets.UTF_8);
    }

    @Test
    void allFourCountOneCall() {
        LimitedCall call = call("a");
        assertThat(call.status()).isEqualTo(200);
        assertThat(Objects.requireNonNull(call.decision()).verdicts())
                .extracting(each -> each.ruleName())
                .containsExactlyInAnyOrder("service:payments", "rate", "calls");
        assertThat(workers.inFlight()).isEqualTo(1);
        call.ended(200);
        assertThat(workers.inFlight()).isZero();
    }

    @Test
    void theRateOfTheCallerSpeaksWith429() {
        for (int i = 0; i < 3; i++) {
            call("a").ended(200);
        }
        LimitedCall denied = call("a");
        assertThat(denied.status()).isEqualTo(429);
        assertThat(spoke(denied)).isEqualTo("rate");
    }

    @Test
    void itsCallsInFlightSpeakWith429() {
        call("a");
        call("a");
        LimitedCall denied = call("a");
        assertThat(denied.status()).isEqualTo(429);
        assertThat(spoke(denied)).isEqualTo("calls");
    }

    @Test
    void theCapacityOfTheServiceSpeaksWith503AndLetsCriticalCallsPass() {
        for (int i = 0; i < 39; i++) {
            call("k" + i).ended(200);
        }
        LimitedCall denied = call("a");
        assertThat(denied.status()).isEqualTo(503);
        assertThat(spoke(denied)).isEqualTo("service:payments");
        assertThat(problem(denied)).contains("temporary-reduced-capacity").contains("service:payments");
        assertThat(denied.headers()).contains("Retry-After");
        assertThat(limiter.decide(new Call(Map.of("X-API-Key", "a", "X-Peer-Group", "checkout")))
                        .status())
                .isEqualTo(200);
        assertThat(limiter.decide(new Call(
                                Map.of("X-API-Key", "b", "X-Peer-Group", "checkout", "X-Weir-Priority", "read")))
                        .status())
                .as("a caller may lower its priority")
                .isEqualTo(503);
        assertThat(limiter.decide(new Call(Map.of("X-API-Key", "c", "X-Weir-Priority", "critical")))
                        .status())
                .as("and not raise it")
                .isEqualTo(503);
    }

    @Test
    void theOwnLimitOfTheCallerSpeaksBeforeTheCapacity() {
        for (int i = 0; i < 3; i++) {
            call("a").ended(200);
        }
        for (int i = 0; i < 36; i++) {
            call("k" + i).ended(200);
        }
        LimitedCall denied = call("a");
        assertThat(denied.status()).isEqualTo(429);
        assertThat(spoke(denied)).isEqualTo("rate");
    }

    @Test
    void whatTheTierDoesNotAllowSpeaksWith403() {
        LimitedCall denied = limiter.decide(new Call(Map.of("X-API-Key", "a", "X-Tier", "free")));
        assertThat(denied.status()).isEqualTo(403);
        assertThat(spoke(denied)).isEqualTo("not-for-free");
        assertThat(denied.headers()).doesNotContain("Retry-After");
    }

    @Test
    void theShedderOfTheProcessSpeaksFirstWith503() {
        List<Admission> busy = new ArrayList<>();
        for (Admission each = workers.tryAcquire(Priority.WRITE);
                each != null;
                each = workers.tryAcquire(Priority.WRITE)) {
            busy.add(each);
        }
        LimitedCall shed = call("a");
        assertThat(shed.status()).isEqualTo(503);
        assertThat(shed.decision()).as("no rule was asked").isNull();
        assertThat(problem(shed)).contains("temporary-reduced-capacity");
        busy.forEach(Admission::close);
        assertThat(call("a").status()).isEqualTo(200);
    }
}
