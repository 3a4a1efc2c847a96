package dev.weir.server.grpc.codec;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Struct;
import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.Verdict.Reason;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.server.rls.RlsSettings;
import dev.weir.server.rls.RlsUnit;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RlsWriterTest {
    private static final long[] NUMBERS = {0, 1, 127, 128, 16_383, 16_384, 1L << 21, 1L << 28, 0xFFFF_FFFFL, 1L << 40};
    private static final String[] NAMES = {"", "n", "by user", "für alle 😀", "x".repeat(127), "é".repeat(3_000)};

    private final ProtobufWriter out = new ProtobufWriter(1);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void writesByteForByteWhatProtobufWrites(long seed) throws Exception {
        Random random = new Random(seed);
        RlsWriter writer = new RlsWriter(RlsSettings.defaults());
        for (int i = 0; i < 3_000; i++) {
            Request request = Request.to("d");
            MutableDecision decision = new MutableDecision();
            decision.begin(0);
            RateLimitResponse.Builder expected = RateLimitResponse.newBuilder();
            boolean allowed = true;
            for (int j = random.nextInt(6); j > 0; j--) {
                request.descriptor();
                allowed &= status(random, request.descriptors() - 1, decision, expected.addStatusesBuilder());
            }
            decision.end(allowed);
            expected.setOverallCode(code(allowed));
            assertThat(written(writer, request, decision))
                    .as("seed %d, answer %d: %s", seed, i, expected)
                    .isEqualTo(expected.build().toByteArray());
        }
    }

    /** Adds a random verdict, or none, and what the protocol tells of it; returns whether it allows the request. */
    private static boolean status(
            Random random, int descriptor, MutableDecision decision, DescriptorStatus.Builder expected) {
        if (random.nextInt(5) == 0) {
            expected.setCode(code(true));
            return true;
        }
        boolean allowed = random.nextBoolean();
        long left = allowed ? pick(random) : 0;
        String name = NAMES[random.nextInt(NAMES.length)];
        if (random.nextInt(5) == 0) {
            Rule rule = Rule.builder("d", "unlimited").name(name).build();
            decision.add().set(rule, null, descriptor, 1, Reason.UNLIMITED, 0, 0, 0, 0);
            expected.setCode(code(true)).setLimitRemaining(-1);
            return true;
        }
        int unit = 1 + random.nextInt(7);
        long requests = pick(random);
        long resetMicros = pick(random);
        Limit limit = requireNonNull(RlsUnit.ofNumber(unit).limit(requests, false));
        Rule rule = Rule.builder("d", "r").name(name).limit(limit).build();
        Reason reason = allowed ? Reason.WITHIN_LIMIT : Reason.OVER_LIMIT;
        decision.add().set(rule, limit, descriptor, 1, reason, left, resetMicros, 0, 0);
        expected.setCode(code(allowed)).setLimitRemaining(uint32(Math.min(left, requests)));
        expected.getCurrentLimitBuilder()
                .setRequestsPerUnit(uint32(requests))
                .setUnitValue(unit)
                .setName(name);
        expected.setDurationUntilReset(
                Duration.newBuilder().setSeconds(Math.max(1, (resetMicros + 999_999) / 1_000_000)));
        return allowed;
    }

    @Test
    void headersAndMetadataOfAnyLengthFollowTheStatuses() throws Exception {
        String longName = "X-" + "L".repeat(300);
        RlsWriter writer = new RlsWriter(
                new RlsSettings(new RlsSettings.Headers(longName, "X-Left", "X-Reset"), null, true, false, false));
        Limit limit = requireNonNull(RlsUnit.MINUTE.limit(10, false));
        Rule rule = Rule.builder("d", "r")
                .limit(limit)
                .metadata(Map.of("k", "v".repeat(500)))
                .build();
        Request request = Request.to("d").with("key", "value".repeat(1_000));
        MutableDecision decision = new MutableDecision();
        decision.begin(0);
        decision.add().set(rule, limit, 0, 1, Reason.WITHIN_LIMIT, 9, 1_500_000, 0, 0);
        decision.end(true);
        RateLimitResponse response = RateLimitResponse.parseFrom(written(writer, request, decision));
        assertThat(response.getStatusesList()).hasSize(1);
        assertThat(response.getResponseHeadersToAddList())
                .containsExactly(header(longName, "10"), header("X-Left", "9"), header("X-Reset", "2"));
        Struct metadata =
                response.getDynamicMetadata().getFieldsOrThrow("metadata").getStructValue();
        assertThat(metadata.getFieldsOrThrow("k").getStringValue()).hasSize(500);
    }

    @Test
    void aDenialThatIsNo429CarriesHeadersBodyAndMetadata() throws Exception {
        Limit limit = requireNonNull(RlsUnit.MINUTE.limit(10, false));
        Rule rule =
                Rule.builder("d", "r").limit(limit).denyAs(Cause.NOT_ALLOWED).build();
        MutableDecision decision = new MutableDecision();
        decision.begin(0);
        decision.add().set(rule, limit, 0, 1, Reason.OVER_LIMIT, 0, 1_500_000, 1_500_000, 0);
        decision.end(false);
        RateLimitResponse response = RateLimitResponse.parseFrom(
                written(new RlsWriter(RlsSettings.defaults()), Request.to("d").with("a", "b"), decision));
        assertThat(response.getOverallCode()).isEqualTo(RateLimitResponse.Code.OVER_LIMIT);
        assertThat(response.getResponseHeadersToAddList())
                .containsExactly(header("x-weir-status", "403"), header("content-type", "application/problem+json"));
        assertThat(response.getRawBody().toStringUtf8()).contains("\"status\":403");
        assertThat(response.getStatuses(0).hasDurationUntilReset()).isFalse();
        assertThat(response.getStatuses(0).hasCurrentLimit()).isTrue();
        assertThat(response.getDynamicMetadata()
                        .getFieldsOrThrow("weir")
                        .getStructValue()
                        .getFieldsOrThrow("status")
                        .getNumberValue())
                .isEqualTo(403);
    }

    private byte[] written(RlsWriter writer, Request request, MutableDecision decision) {
        out.size(0);
        writer.write(request, 0, decision, out);
        return Arrays.copyOf(out.array(), out.size());
    }

    private static HeaderValue header(String key, String value) {
        return HeaderValue.newBuilder().setKey(key).setValue(value).build();
    }

    private static RateLimitResponse.Code code(boolean allowed) {
        return allowed ? RateLimitResponse.Code.OK : RateLimitResponse.Code.OVER_LIMIT;
    }

    private static long pick(Random random) {
        return NUMBERS[random.nextInt(NUMBERS.length)];
    }

    /** The part of a number that the protocol can hold. */
    private static int uint32(long value) {
        return (int) Math.min(value, 0xFFFF_FFFFL);
    }
}
