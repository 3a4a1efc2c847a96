package dev.weir.server.grpc.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.UInt64Value;
import com.google.protobuf.UnknownFieldSet;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.server.grpc.RawPeer;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.rls.RequestCaps;
import dev.weir.server.rls.RlsUnit;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RlsReaderTest {
    private static final RequestCaps CAPS = new RequestCaps(1 << 20, 4, 3, 16, 64);
    private static final String SOME_TEXT = "aZ_:.-é漢😀\u0000";

    private final RlsReader reader = new RlsReader(CAPS, new CachingTextDecoder(), false);
    private final Request request =
            Request.to("left over").with("left", "over").override(Limit.fixedWindow(7, Duration.ofDays(1)));

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void readsWhatProtobufReadsWhateverTheOrderAndTheCompanyOfTheFields(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            byte[] bytes = requestBytes(random);
            read(bytes);
            assertSame(RateLimitRequest.parseFrom(bytes), "seed " + seed + ", message " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 6})
    void cutAnywhereAMessageIsRefusedOrIsWhatProtobufMakesOfIt(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 100; i++) {
            byte[] whole = requestBytes(random);
            for (int length = 0; length < whole.length; length++) {
                byte[] cut = Arrays.copyOf(whole, length);
                RateLimitRequest expected;
                try {
                    expected = RateLimitRequest.parseFrom(cut);
                } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                    assertThatThrownBy(() -> read(cut))
                            .isInstanceOfSatisfying(
                                    GrpcCallException.class,
                                    error -> assertThat(error.status()).isEqualTo(GrpcStatus.INVALID_ARGUMENT));
                    continue;
                }
                if (expected.getDomain().isEmpty() || expected.getDescriptorsCount() == 0) {
                    assertRefused(cut, GrpcStatus.INVALID_ARGUMENT, "must not be empty");
                } else {
                    read(cut);
                    assertSame(expected, "seed " + seed + ", message " + i + " cut at " + length);
                }
            }
        }
    }

    @Test
    void partsOfAMessageThatComesTwiceAreMerged() throws Exception {
        byte[] descriptor = join(
                part(RateLimitDescriptor.newBuilder()
                        .setLimit(RateLimitOverride.newBuilder().setRequestsPerUnit(9))),
                part(RateLimitDescriptor.newBuilder().setHitsAddend(UInt64Value.of(7))),
                part(RateLimitDescriptor.newBuilder()
                        .setLimit(RateLimitOverride.newBuilder().setUnitValue(RlsUnit.HOUR.number()))),
                part(RateLimitDescriptor.newBuilder().setHitsAddend(UInt64Value.getDefaultInstance())));
        read(request(descriptor));
        assertThat(request.override(0)).isEqualTo(RlsUnit.HOUR.limit(9, false));
        assertThat(request.hitsOf(0)).isEqualTo(7);
    }

    @Test
    void nothingOfTheRequestBeforeShows() throws Exception {
        read(request(new byte[0]));
        assertThat(request.domain()).isEqualTo("d");
        assertThat(request.descriptors()).isEqualTo(1);
        assertThat(request.end(0)).isZero();
        assertThat(request.override(0)).isNull();
        assertThat(request.hasOwnHits(0)).isFalse();
        assertThat(request.hitsOf(0)).isEqualTo(1);
    }

    @ParameterizedTest(name = "hits of the request {0}, of the descriptor {1}, negative {2}: {3}")
    @CsvSource(
            nullValues = "-",
            value = {
                "0, -, false, 1",
                "5, -, false, 5",
                "4294967295, -, false, 4294967295",
                "5, 0, false, 0",
                "5, 3, false, 3",
                "5, 3, true, -3",
                "5, 0, true, 0",
                "5, -, true, -5",
                "0, -, true, -1",
                "0, 9223372036854775807, false, 9223372036854775807",
                "0, 9223372036854775808, false, 9223372036854775807",
                "0, 18446744073709551615, false, 9223372036854775807",
                "0, 18446744073709551615, true, -9223372036854775807"
            })
    void hitsAreTheDescriptorsOwnOrTheRequestsAndSaturate(
            String ofRequest, String ofDescriptor, boolean negative, long hits) throws Exception {
        RateLimitDescriptor.Builder descriptor =
                RateLimitDescriptor.newBuilder().setIsNegativeHits(negative);
        if (ofDescriptor != null) {
            descriptor.setHitsAddend(UInt64Value.of(Long.parseUnsignedLong(ofDescriptor)));
        }
        // The request's hits come last: a descriptor that leans on them is read before them.
        byte[] last = RateLimitRequest.newBuilder()
                .setHitsAddend(Integer.parseUnsignedInt(ofRequest))
                .build()
                .toByteArray();
        read(join(request(part(descriptor)), last));
        assertThat(request.hitsOf(0)).isEqualTo(hits);
        assertThat(reader.hitsAddend()).isEqualTo(Long.parseLong(ofRequest));
    }

    @Test
    void aLimitIsTakenInEveryUnitThatHasAWindow() throws Exception {
        for (int unit = 1; unit <= 7; unit++) {
            read(limited(unit));
            Limit expected = RlsUnit.ofNumber(unit).limit(0xFFFF_FFFFL, false);
            assertThat(request.override(0)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, -1, Integer.MAX_VALUE})
    void aLimitWithoutAUnitOrInOneThatNobodyKnowsIsRefused(int unit) {
        assertRefused(limited(unit), GrpcStatus.INVALID_ARGUMENT, "limit.unit: " + unit + " (expected: 1 to 7)");
    }

    @Test
    void textThatIsNotUtf8IsRefusedWhereverItStands() {
        List<byte[]> malformed = List.of(
                new byte[] {(byte) 0xC3},
                new byte[] {(byte) 0xC0, (byte) 0x80},
                new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
                new byte[] {(byte) 0xF8, 0, 0, 0},
                new byte[] {'a', (byte) 0xFF, 'b'});
        for (byte[] text : malformed) {
            for (int field = 1; field <= 2; field++) {
                byte[] entry = bytesField(field, text);
                assertRefused(request(bytesField(1, entry)), GrpcStatus.INVALID_ARGUMENT, "not UTF-8");
            }
            byte[] request = join(bytesField(1, text), bytesField(2, new byte[0]));
            assertRefused(request, GrpcStatus.INVALID_ARGUMENT, "not UTF-8");
        }
    }

    @Test
    void numbersThatDoNotEndAreRefused() {
        byte[] eleven = new byte[11];
        Arrays.fill(eleven, (byte) 0xFF);
        eleven[10] = 1;
        assertRefused(join(new byte[] {3 << 3}, eleven), GrpcStatus.INVALID_ARGUMENT, "longer than ten bytes");
        assertRefused(new byte[] {3 << 3, (byte) 0x80}, GrpcStatus.INVALID_ARGUMENT, "truncated number");
        assertRefused(new byte[] {(byte) 0x80}, GrpcStatus.INVALID_ARGUMENT, "truncated number");
        assertRefused(new byte[] {2, 0}, GrpcStatus.INVALID_ARGUMENT, "field number out of range");
        assertRefused(new byte[] {9 << 3 | 6}, GrpcStatus.INVALID_ARGUMENT, "unknown wire type");
        assertRefused(new byte[] {1 << 3 | 2, 127}, GrpcStatus.INVALID_ARGUMENT, "beyond the end");
    }

    @Test
    void groupsMustEndAsTheyBeganAndNotNestWithoutEnd() {
        byte[] crossed = {9 << 3 | 3, 10 << 3 | 4};
        assertRefused(crossed, GrpcStatus.INVALID_ARGUMENT, "mismatched end of a group");
        byte[] deep = new byte[5_000];
        Arrays.fill(deep, (byte) (9 << 3 | 3));
        assertRefused(deep, GrpcStatus.INVALID_ARGUMENT, "nested deeper");
    }

    @Test
    void whatADescriptorHoldsCannotReachPastItsEnd() {
        byte[] reaching = {1 << 3 | 2, 1, 'd', 2 << 3 | 2, 2, 1 << 3 | 2, 4, 1 << 3 | 2, 2, 'k', 'k'};
        assertRefused(reaching, GrpcStatus.INVALID_ARGUMENT, "length beyond the end");
    }

    @Test
    void everyCapIsNamedWithItsNumberAndWhatJustFitsPasses() throws Exception {
        byte[] value = new byte[64];
        Arrays.fill(value, (byte) 'v');
        byte[] entry = join(bytesField(1, new byte[16]), bytesField(2, value));
        byte[] full = join(bytesField(1, entry), bytesField(1, entry), bytesField(1, entry));
        byte[] fits = join(bytesField(1, new byte[16]), four(full));
        read(fits);
        assertThat(request.descriptors()).isEqualTo(4);
        assertThat(request.end(3)).isEqualTo(12);

        assertCapped(join(fits, bytesField(2, full)), "descriptors: 5 (expected: <= 4)");
        assertCapped(request(join(full, bytesField(1, entry))), "entries of a descriptor: 4 (expected: <= 3)");
        assertCapped(bytesField(1, new byte[17]), "bytes of a domain: 17 (expected: <= 16)");
        assertCapped(request(bytesField(1, bytesField(1, new byte[17]))), "bytes of a key: 17 (expected: <= 16)");
        assertCapped(request(bytesField(1, bytesField(2, new byte[65]))), "bytes of a value: 65 (expected: <= 64)");
    }

    private void assertSame(RateLimitRequest expected, String what) {
        assertThat(request.domain()).as(what).isEqualTo(expected.getDomain());
        assertThat(reader.hitsAddend()).as(what).isEqualTo(Integer.toUnsignedLong(expected.getHitsAddend()));
        assertThat(request.descriptors()).as(what).isEqualTo(expected.getDescriptorsCount());
        for (int i = 0; i < request.descriptors(); i++) {
            RateLimitDescriptor each = expected.getDescriptors(i);
            assertThat(request.end(i) - request.start(i)).as(what).isEqualTo(each.getEntriesCount());
            for (int j = 0; j < each.getEntriesCount(); j++) {
                assertThat(request.key(request.start(i) + j))
                        .as(what)
                        .isEqualTo(each.getEntries(j).getKey());
                assertThat(request.value(request.start(i) + j))
                        .as(what)
                        .isEqualTo(each.getEntries(j).getValue());
            }
            assertThat(request.hasOwnHits(i)).as(what).isEqualTo(each.hasHitsAddend() || each.getIsNegativeHits());
            assertThat(request.hitsOf(i)).as(what).isEqualTo(hits(expected, each));
            assertThat(request.override(i))
                    .as(what)
                    .isEqualTo(
                            each.hasLimit()
                                    ? RlsUnit.ofNumber(each.getLimit().getUnitValue())
                                            .limit(
                                                    Integer.toUnsignedLong(
                                                            each.getLimit().getRequestsPerUnit()),
                                                    false)
                                    : null);
        }
    }

    private static long hits(RateLimitRequest request, RateLimitDescriptor descriptor) {
        long hits = Math.max(1, Integer.toUnsignedLong(request.getHitsAddend()));
        if (descriptor.hasHitsAddend()) {
            long own = descriptor.getHitsAddend().getValue();
            hits = own < 0 ? Long.MAX_VALUE : own;
        }
        return descriptor.getIsNegativeHits() ? -hits : hits;
    }

    /** A request whose parts come in any order, some more than once, with fields between them that nobody knows. */
    private static byte[] requestBytes(Random random) {
        List<byte[]> parts = new ArrayList<>();
        for (int i = random.nextInt(2); i < 2; i++) {
            parts.add(
                    bytesField(1, ByteString.copyFromUtf8("d" + text(random, 3)).toByteArray()));
        }
        for (int i = random.nextInt(3); i < 3; i++) {
            parts.add(bytesField(2, descriptorBytes(random)));
        }
        if (random.nextBoolean()) {
            parts.add(RateLimitRequest.newBuilder()
                    .setHitsAddend(random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(9))
                    .build()
                    .toByteArray());
        }
        return mixed(parts, random);
    }

    private static byte[] descriptorBytes(Random random) {
        List<byte[]> parts = new ArrayList<>();
        for (int i = random.nextInt(4); i < 3; i++) {
            List<byte[]> entry = new ArrayList<>();
            for (int j = random.nextInt(4); j < 3; j++) {
                entry.add(bytesField(
                        1 + j % 2, ByteString.copyFromUtf8(text(random, 4)).toByteArray()));
            }
            parts.add(bytesField(1, mixed(entry, random)));
        }
        if (random.nextInt(3) == 0) {
            // In both parts, so that no cut leaves a limit that protobuf takes and we, rightly, refuse.
            RateLimitOverride.Builder limit = RateLimitOverride.newBuilder().setUnitValue(1 + random.nextInt(7));
            parts.add(part(RateLimitDescriptor.newBuilder().setLimit(limit)));
            parts.add(part(RateLimitDescriptor.newBuilder().setLimit(limit.setRequestsPerUnit(random.nextInt()))));
        }
        for (int i = random.nextInt(4); i > 2; i--) {
            long hits = random.nextBoolean() ? random.nextLong() : random.nextInt(3);
            parts.add(part(RateLimitDescriptor.newBuilder().setHitsAddend(UInt64Value.of(hits))));
        }
        if (random.nextInt(3) == 0) {
            parts.add(new byte[] {4 << 3, (byte) random.nextInt(2)});
        }
        return mixed(parts, random);
    }

    private static byte[] mixed(List<byte[]> parts, Random random) {
        for (int i = random.nextInt(3); i > 0; i--) {
            parts.add(unknown(random));
        }
        Collections.shuffle(parts, random);
        return join(parts.toArray(byte[][]::new));
    }

    private static byte[] unknown(Random random) {
        UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
        switch (random.nextInt(5)) {
            case 0 -> field.addVarint(random.nextLong());
            case 1 -> field.addFixed32(random.nextInt());
            case 2 -> field.addFixed64(random.nextLong());
            case 3 -> field.addLengthDelimited(ByteString.copyFrom(new byte[random.nextInt(200)]));
            default ->
                field.addGroup(UnknownFieldSet.newBuilder()
                        .addField(
                                1,
                                UnknownFieldSet.Field.newBuilder()
                                        .addVarint(1)
                                        .addFixed32(2)
                                        .build())
                        .build());
        }
        int number = 5 + random.nextInt(random.nextBoolean() ? 10 : 500_000_000);
        return UnknownFieldSet.newBuilder()
                .addField(number, field.build())
                .build()
                .toByteArray();
    }

    private static String text(Random random, int most) {
        StringBuilder text = new StringBuilder();
        int[] some = SOME_TEXT.codePoints().toArray();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            text.appendCodePoint(some[random.nextInt(some.length)]);
        }
        return text.toString();
    }

    private static byte[] limited(int unit) {
        return request(part(RateLimitDescriptor.newBuilder()
                .setLimit(RateLimitOverride.newBuilder().setUnitValue(unit).setRequestsPerUnit(-1))));
    }

    private static byte[] request(byte[] descriptor) {
        return join(bytesField(1, new byte[] {'d'}), bytesField(2, descriptor));
    }

    private static byte[] four(byte[] descriptor) {
        byte[] one = bytesField(2, descriptor);
        return join(one, one, one, one);
    }

    private static byte[] part(RateLimitDescriptor.Builder descriptor) {
        return descriptor.build().toByteArray();
    }

    private static byte[] bytesField(int number, byte[] content) {
        byte[] length = UInt32Value.of(content.length).toByteArray();
        ByteArrayOutputStream field = new ByteArrayOutputStream();
        field.write(number << 3 | 2);
        if (content.length == 0) {
            field.write(0);
        } else {
            field.write(length, 1, length.length - 1);
        }
        field.writeBytes(content);
        return field.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        return RawPeer.join(parts);
    }

    /** Reads from the middle of an array, as the server does. */
    private void read(byte[] bytes) throws GrpcCallException {
        byte[] around = join(new byte[] {9, 9, 9}, bytes, new byte[] {(byte) 0x80, (byte) 0x80});
        reader.read(around, 3, 3 + bytes.length, request);
    }

    private void assertCapped(byte[] bytes, String text) {
        assertRefused(bytes, GrpcStatus.RESOURCE_EXHAUSTED, text);
    }

    private void assertRefused(byte[] bytes, GrpcStatus status, String text) {
        assertThatThrownBy(() -> read(bytes)).isInstanceOfSatisfying(GrpcCallException.class, error -> {
            assertThat(error.status()).isEqualTo(status);
            assertThat(error.text()).contains(text);
        });
    }
}
