package dev.weir.server.grpc.protocol;

/** The methods that the gRPC server knows, by path. */
public enum GrpcMethod {
    SHOULD_RATE_LIMIT("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit", true),
    HEALTH_CHECK("/grpc.health.v1.Health/Check", true),
    HEALTH_WATCH("/grpc.health.v1.Health/Watch", true),
    REFLECTION("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", false),
    REFLECTION_ALPHA("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", false),
    QUOTA_STREAM("/envoy.service.rate_limit_quota.v3.RateLimitQuotaService/StreamRateLimitQuotas", false),
    DESCRIBE_RULES("/weir.v1.RuleCatalog/Describe", true),
    DECIDE_BATCH("/weir.v1.Decisions/Decide", true),
    UNKNOWN("", true);

    private static final GrpcMethod[] ALL = values();

    private final String path;
    private final boolean oneMessage;

    GrpcMethod(String path, boolean oneMessage) {
        this.path = path;
        this.oneMessage = oneMessage;
    }

    /** Whether the caller sends exactly one message. */
    public boolean oneMessage() {
        return oneMessage;
    }

    /** Whether the call has no time limit. */
    public boolean lasting() {
        return this == HEALTH_WATCH || !oneMessage;
    }

    public static GrpcMethod of(CharSequence path) {
        for (GrpcMethod method : ALL) {
            if (method.path.contentEquals(path)) {
                return method;
            }
        }
        return UNKNOWN;
    }
}
