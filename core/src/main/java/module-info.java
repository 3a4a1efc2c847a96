/**
 * Weir as a library: limits and rules, counted in this process or in a store that several processes share.
 *
 * <p>{@code dev.weir} is the API. The internal packages are exported to Weir's own modules only.
 */
@SuppressWarnings("module") // those modules are compiled after this one
module dev.weir {
    requires static org.jspecify;

    exports dev.weir;
    exports dev.weir.internal.algorithm to
            dev.weir.redis,
            dev.weir.rules;
    exports dev.weir.internal.counter to
            dev.weir.redis;
    exports dev.weir.internal.match.envoy to
            dev.weir.rules;
    exports dev.weir.internal.match.keyby to
            dev.weir.rules,
            dev.weir.spring;
    exports dev.weir.internal.match.override to
            dev.weir.rules;
    exports dev.weir.internal.match.pattern to
            dev.weir.http,
            dev.weir.remote,
            dev.weir.rules,
            dev.weir.spring;
    exports dev.weir.internal.match.weir to
            dev.weir.rules,
            dev.weir.spring;
    exports dev.weir.internal.lease to
            dev.weir.remote;
    exports dev.weir.internal.library to
            dev.weir.remote;
    exports dev.weir.internal.model to
            dev.weir.grpc,
            dev.weir.http,
            dev.weir.remote,
            dev.weir.rules,
            dev.weir.spring;
    exports dev.weir.internal.ruleset to
            dev.weir.grpc,
            dev.weir.http,
            dev.weir.remote,
            dev.weir.rules,
            dev.weir.spring;
    exports dev.weir.internal.runtime to
            dev.weir.remote,
            dev.weir.rules,
            dev.weir.redis;
    exports dev.weir.internal.store to
            dev.weir.redis;
    exports dev.weir.internal.batching to
            dev.weir.redis;
    exports dev.weir.internal.tls to
            dev.weir.redis,
            dev.weir.remote;
}
