/**
 * The library's interface on a Weir server: rules and counters live there, and this process asks over gRPC.
 *
 * <p>{@code dev.weir.remote} is the API.
 */
@SuppressWarnings("requires-automatic") // gRPC has no descriptors
module dev.weir.remote {
    requires transitive dev.weir;
    requires io.grpc;
    requires io.grpc.netty.shaded;
    requires transitive java.net.http;
    requires static org.jspecify;

    exports dev.weir.remote;
}
