package dev.weir.server.grpc;

import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UInt32Value;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.service.GrpcService;
import dev.weir.server.grpc.service.GrpcServiceCall;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction.QuotaAssignmentAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy;
import io.envoyproxy.envoy.type.v3.TokenBucket;

/** A quota service without an account: each Envoy gets the same rate, whatever the others do. */
final class FixedQuota implements GrpcService {
    private final int perSecond;

    FixedQuota(int perSecond) {
        this.perSecond = perSecond;
    }

    @Override
    public void message(GrpcServiceCall call, GrpcMethod method, byte[] message) {
        RateLimitQuotaResponse.Builder response = RateLimitQuotaResponse.newBuilder();
        try {
            for (BucketQuotaUsage each :
                    RateLimitQuotaUsageReports.parseFrom(message).getBucketQuotaUsagesList()) {
                TokenBucket tokens = TokenBucket.newBuilder()
                        .setMaxTokens(perSecond / 5)
                        .setTokensPerFill(UInt32Value.of(60 * perSecond))
                        .setFillInterval(Duration.newBuilder().setSeconds(60))
                        .build();
                response.addBucketAction(BucketAction.newBuilder()
                        .setBucketId(each.getBucketId())
                        .setQuotaAssignmentAction(QuotaAssignmentAction.newBuilder()
                                .setAssignmentTimeToLive(Duration.newBuilder().setSeconds(15))
                                .setRateLimitStrategy(
                                        RateLimitStrategy.newBuilder().setTokenBucket(tokens))));
            }
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
        call.send(response.build().toByteArray());
    }
}
