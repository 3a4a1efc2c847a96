/** Counters in Redis that several processes share, for the module {@code dev.weir}. */
@SuppressWarnings("requires-automatic") // Lettuce, Reactor and Resilience4j have no descriptor that says what they need
module dev.weir.redis {
    requires transitive dev.weir;
    requires io.github.resilience4j.circuitbreaker;
    requires io.github.resilience4j.core;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.resolver.dns; // for Lettuce
    requires io.netty.transport;
    requires jdk.net; // for Lettuce: keep-alive on sockets
    requires lettuce.core;
    requires org.slf4j; // for Resilience4j
    requires reactor.core;
    requires static org.jspecify;

    exports dev.weir.redis;
}
