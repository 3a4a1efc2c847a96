/**
 * HTTP clients that pace themselves by the limits that servers send.
 *
 * <p>{@code dev.weir.client} is the API.
 */
module dev.weir.client {
    requires transitive java.net.http;
    requires static okhttp3;
    requires static org.jspecify;

    exports dev.weir.client;
}
