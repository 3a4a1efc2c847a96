package dev.weir.internal.limiter;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.store.RequestCost;
import dev.weir.internal.store.RequestTooCostlyException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Any number of checks with any hits on any limit: only a request above the bound is refused, and then it charges nothing. */
class RequestCostFuzzTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final List<Limit> LIMITS = List.of(
            Limit.tokenBucket(10, HOUR),
            Limit.fixedWindow(10, HOUR),
            Limit.slidingWindow(10, HOUR),
            Limit.slidingWindow(10, HOUR).withSubWindows(1_000),
            Limit.slidingWindowLog(10_000, HOUR));
    private static final int CHECK_BYTES = 1 + Long.BYTES;

    static Stream<Arguments> seeds() {
        return Stream.of(
                arguments((Object) new byte[0]),
                arguments((Object) checks(128, 0, 1)),
                arguments((Object) checks(129, 1, Long.MAX_VALUE)),
                arguments((Object) checks(5, 3, -1)),
                arguments((Object) checks(4, 4, 10_000)),
                arguments((Object) checks(5, 4, Long.MAX_VALUE)),
                arguments((Object) checks(21, 4, Long.MIN_VALUE)));
    }

    private static byte[] checks(int count, int limit, long hits) {
        ByteBuffer bytes = ByteBuffer.allocate(count * CHECK_BYTES);
        IntStream.range(0, count).forEach(i -> bytes.put((byte) limit).putLong(hits));
        return bytes.array();
    }

    @FuzzTest(maxDuration = "30s")
    @MethodSource("seeds")
    void onlyARequestAboveTheBoundIsRefused(byte @NotNull [] data) {
        LocalLimiterHarness memory = new LocalLimiterHarness(WeirRules.rules(IntStream.range(0, LIMITS.size())
                .mapToObj(i -> WeirRules.rule(
                        WeirRules.rule("r" + i, LIMITS.get(i)).build(), KeyBy.of("user"), "limit", "" + i))
                .toArray(WeirRule[]::new)));
        Request request = Request.to("d");
        ByteBuffer bytes = ByteBuffer.wrap(data);
        long cost = 0;
        for (int i = 0; bytes.remaining() >= CHECK_BYTES; i++) {
            int limit = (bytes.get() & 0xFF) % LIMITS.size();
            long hits = bytes.getLong();
            request.descriptor()
                    .with("user", "u" + i % 50)
                    .with("limit", "" + limit)
                    .descriptorHits(hits);
            cost += RequestCost.of(Meters.of(LIMITS.get(limit)), request.hitsOf(i));
        }
        boolean refused = false;
        try {
            memory.decide(request);
        } catch (RequestTooCostlyException e) {
            refused = true;
        }
        if (refused != cost > RequestCost.DEFAULT_MAX) {
            throw new AssertionError("cost " + cost + ", refused " + refused);
        }
        if (refused && memory.store.size() > 0) {
            throw new AssertionError("a refused request has charged a counter");
        }
    }
}
