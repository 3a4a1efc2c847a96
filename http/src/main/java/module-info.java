/**
 * HTTP calls as requests to Weir, and decisions as HTTP answers: the core of the servlet filter and of other integrations.
 *
 * <p>{@code dev.weir.http} is the API.
 */
@SuppressWarnings("module") // that module is compiled after this one
module dev.weir.http {
    requires transitive dev.weir;
    requires static org.jspecify;

    exports dev.weir.http;
    exports dev.weir.http.internal to
            dev.weir.grpc,
            dev.weir.spring;
}
