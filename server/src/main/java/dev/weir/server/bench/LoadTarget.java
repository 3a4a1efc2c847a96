package dev.weir.server.bench;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where the load goes.
 *
 * @param grpc whether it speaks gRPC; else HTTP/1.1
 * @param path the path of HTTP calls
 */
public record LoadTarget(boolean grpc, String host, int port, String path) {
    private static final int GRPC_PORT = 8081;
    private static final int HTTP_PORT = 8080;
    private static final String CHECK = "/v1/ratelimit/check";

    /**
     * Reads {@code grpc://host:port} or {@code http://host:port/path}.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public static LoadTarget of(String text) {
        String expected = " (expected: grpc://HOST:PORT, or http://HOST:PORT with or without a path)";
        try {
            URI uri = new URI(text);
            boolean grpc = "grpc".equals(uri.getScheme());
            if (uri.getHost() == null || !(grpc || "http".equals(uri.getScheme())) || uri.getUserInfo() != null) {
                throw new IllegalArgumentException("\"" + text + "\"" + expected);
            }
            String path = uri.getRawPath() == null ? "" : uri.getRawPath();
            if (grpc && path.length() > 1) {
                throw new IllegalArgumentException("\"" + text + "\": gRPC has no path" + expected);
            }
            String host = uri.getHost().replaceAll("^\\[|\\]$", "");
            int port = uri.getPort() < 0 ? (grpc ? GRPC_PORT : HTTP_PORT) : uri.getPort();
            return new LoadTarget(grpc, host, port, path.length() > 1 ? path : CHECK);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("\"" + text + "\"" + expected, e);
        }
    }

    String authority() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
