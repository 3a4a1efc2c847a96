package dev.weir.server.rlqs;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.server.grpc.codec.FieldBoundary;
import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.rls.RequestCaps;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes as a report: it is read or refused, and read in parts it says the same. */
class UsageReportFuzzTest {
    private static final UsageReportReader READER = new UsageReportReader(RequestCaps.defaults());
    private static final int LARGEST_PART = 100;

    static Stream<Arguments> seeds() {
        byte[] report = report();
        byte[] truncated = Arrays.copyOf(report, report.length - 3);
        byte[] changed = report.clone();
        changed[report.length / 2] ^= 0x55;
        byte[] group = {0x4B, 0x08, 0x01, 0x4C};
        byte[] longNumber = new byte[12];
        Arrays.fill(longNumber, (byte) 0xFF);
        return Stream.of(
                arguments((Object) new byte[0]),
                arguments((Object) report),
                arguments((Object) truncated),
                arguments((Object) changed),
                arguments((Object) group),
                arguments((Object) longNumber));
    }

    private static byte[] report() {
        RateLimitQuotaUsageReports.Builder report =
                RateLimitQuotaUsageReports.newBuilder().setDomain("front");
        for (int i = 0; i < 20; i++) {
            report.addBucketQuotaUsages(BucketQuotaUsage.newBuilder()
                    .setBucketId(
                            BucketId.newBuilder().putBucket("user", "u" + i).putBucket("plan", "free"))
                    .setNumRequestsAllowed(i == 3 ? -1 : i)
                    .setNumRequestsDenied(i * 1_000_000L));
        }
        return report.build().toByteArray();
    }

    @FuzzTest(maxDuration = "30s")
    @MethodSource("seeds")
    void aReportInPartsSaysTheSame(byte @NotNull [] data) {
        List<UsageReport.Usage> whole = whole(data);
        boolean grouped = false;
        List<UsageReport.Usage> parts = new ArrayList<>();
        try {
            parts(data, parts);
        } catch (GrpcCallException e) {
            grouped = e.text().contains("group");
            if (whole != null && !grouped) {
                throw new AssertionError("refused in parts, and not as a whole: " + e.text());
            }
            return;
        }
        if (!parts.equals(whole)) {
            throw new AssertionError("parts " + parts + ", whole " + whole);
        }
    }

    private static @Nullable List<UsageReport.Usage> whole(byte[] data) {
        try {
            return READER.read(data, "front").usages();
        } catch (GrpcCallException e) {
            return null;
        }
    }

    /** Reads whole fields at a time, as many as fit into a part, or one. */
    private static void parts(byte[] data, List<UsageReport.Usage> into) throws GrpcCallException {
        int at = 0;
        int room = LARGEST_PART;
        while (at < data.length) {
            int there = Math.min(room, data.length - at);
            int length = FieldBoundary.wholeFields(data, at, at + there);
            if (length == 0 && there == data.length - at) {
                throw ProtobufReader.malformed("the message ends within a field");
            }
            room = length == 0 ? 2 * room : LARGEST_PART;
            into.addAll(READER.read(Arrays.copyOfRange(data, at, at + length), "front")
                    .usages());
            at += length;
        }
    }
}
