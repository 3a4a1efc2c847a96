package dev.weir.server.grpc.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.grpc.protocol.GrpcCallException;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FieldBoundaryTest {

    private static byte[] report(int buckets) {
        RateLimitQuotaUsageReports.Builder report =
                RateLimitQuotaUsageReports.newBuilder().setDomain("front");
        for (int i = 0; i < buckets; i++) {
            report.addBucketQuotaUsages(BucketQuotaUsage.newBuilder()
                    .setBucketId(BucketId.newBuilder().putBucket("user", "u".repeat(i * 7)))
                    .setNumRequestsAllowed(i)
                    .setNumRequestsDenied(-1));
        }
        return report.build().toByteArray();
    }

    /** Wherever a message is cut, its whole fields and the rest are what the whole was. */
    @Test
    void theFieldsBeforeACutAreWholeAndNoneIsLost() throws Exception {
        byte[] all = report(30);
        RateLimitQuotaUsageReports whole = RateLimitQuotaUsageReports.parseFrom(all);
        for (int cut = 0; cut <= all.length; cut++) {
            int length = FieldBoundary.wholeFields(all, 0, cut);
            assertThat(length).isLessThanOrEqualTo(cut);
            RateLimitQuotaUsageReports.Builder parts = RateLimitQuotaUsageReports.newBuilder()
                    .mergeFrom(all, 0, length)
                    .mergeFrom(all, length, all.length - length);
            assertThat(parts.build()).isEqualTo(whole);
        }
        assertThat(FieldBoundary.wholeFields(all, 0, all.length)).isEqualTo(all.length);
    }

    @Test
    void fieldsOfEveryTypeAreSkipped() throws Exception {
        byte[] fields = {0x08, (byte) 0x96, 1, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x1D, 1, 2, 3, 4, 0x22, 1, 9};
        assertThat(FieldBoundary.wholeFields(fields, 0, fields.length)).isEqualTo(fields.length);
        assertThat(FieldBoundary.wholeFields(fields, 0, 16)).isEqualTo(12);
    }

    @Test
    void whatIsNoFieldIsRefused() {
        assertThatThrownBy(() -> FieldBoundary.wholeFields(new byte[] {0x0B, 0}, 0, 2))
                .isInstanceOf(GrpcCallException.class);
        byte[] endless = new byte[12];
        Arrays.fill(endless, (byte) 0x80);
        assertThatThrownBy(() -> FieldBoundary.wholeFields(endless, 0, 12)).isInstanceOf(GrpcCallException.class);
        byte[] huge = {0x0A, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1};
        assertThatThrownBy(() -> FieldBoundary.wholeFields(huge, 0, huge.length))
                .isInstanceOf(GrpcCallException.class);
    }
}
