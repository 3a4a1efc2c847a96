/**
 * Interceptors for grpc-java: a server that limits its calls by rules, and a client that paces itself.
 *
 * <p>{@code dev.weir.grpc} is the API.
 */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // gRPC has no descriptors
module dev.weir.grpc {
    requires transitive dev.weir;
    requires dev.weir.http;
    requires static transitive dev.weir.client;
    requires transitive io.grpc;
    requires static org.jspecify;

    exports dev.weir.grpc;
}
