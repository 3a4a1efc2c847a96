/**
 * A servlet filter that limits HTTP calls by rules.
 *
 * <p>{@code dev.weir.servlet} is the API.
 */
module dev.weir.servlet {
    requires transitive dev.weir.http;
    requires dev.weir.rules;
    requires static transitive jakarta.servlet;
    requires static org.jspecify;

    exports dev.weir.servlet;
}
