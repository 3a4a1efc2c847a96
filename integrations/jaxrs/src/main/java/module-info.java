/**
 * A JAX-RS filter that limits HTTP calls by rules.
 *
 * <p>{@code dev.weir.jaxrs} is the API.
 */
module dev.weir.jaxrs {
    requires transitive dev.weir.http;
    requires static transitive jakarta.ws.rs;
    requires static jakarta.annotation;
    requires static org.jspecify;

    exports dev.weir.jaxrs;
}
