package dev.weir.server.grpc;

/** The calls that the lane knows, by their paths. */
enum Method {
    SHOULD_RATE_LIMIT("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit", true),
    HEALTH_CHECK("/grpc.health.v1.Health/Check", true),
    HEALTH_WATCH("/grpc.health.v1.Health/Watch", true),
    REFLECTION("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", false),
    REFLECTION_ALPHA("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", false),
    UNKNOWN("", true);

    private static final Method[] ALL = values();

    private final String path;
    private final boolean oneMessage;

    Method(String path, boolean oneMessage) {
        this.path = path;
        this.oneMessage = oneMessage;
    }

    /** Whether its caller sends exactly one message. */
    boolean oneMessage() {
        return oneMessage;
    }

    /** Whether it may stay open for as long as its caller likes. */
    boolean lasting() {
        return this == HEALTH_WATCH || !oneMessage;
    }

    static Method of(CharSequence path) {
        for (Method method : ALL) {
            if (method.path.contentEquals(path)) {
                return method;
            }
        }
        return UNKNOWN;
    }
}
