package dev.weir.server.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Serves the pages of the admin port. All resources come from this server, and nothing is inline. The pages contain no
 * data, so everyone may load them; their scripts ask for a token and then for the data.
 */
final class AdminPages {
    /** The policy: only scripts of this server, connections to this port only, and no frames. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private static final String HTML = "text/html; charset=utf-8";

    /** The file of each path. */
    private static final Map<String, String> FILES = Map.of(
            "/", "start.html",
            "/api", "api.html",
            "/favicon.svg", "favicon.svg",
            "/favicon.ico", "favicon.svg", // browsers ask for it where a page names no icon
            "/pages/weir.css", "weir.css",
            "/pages/dom.js", "dom.js",
            "/pages/sign-in.js", "sign-in.js",
            "/pages/start.js", "start.js",
            "/pages/api.js", "api.js");

    private final int httpPort;
    private final Map<String, byte[]> read = new ConcurrentHashMap<>();

    /** Creates the pages, which link to the metrics on {@code httpPort}. */
    AdminPages(int httpPort) {
        this.httpPort = httpPort;
    }

    /** Whether {@code path} is a page or a resource of one. */
    static boolean isPage(String path) {
        return FILES.containsKey(path);
    }

    /** Whether a page is served at {@code path} to a client with {@code accept}. At the root only browsers get one. */
    static boolean serves(String path, @Nullable String accept) {
        return FILES.containsKey(path) && (!path.equals("/") || (accept != null && accept.contains("text/html")));
    }

    void send(HttpServerResponse response, String path) {
        String file = String.valueOf(FILES.get(path));
        byte[] body = read.computeIfAbsent(file, this::read);
        response.putHeader("Content-Type", typeOf(file))
                .putHeader("Content-Security-Policy", POLICY)
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Vary", "Accept");
        var unused = response.end(Buffer.buffer(body));
    }

    private static String typeOf(String file) {
        return switch (file.substring(file.lastIndexOf('.'))) {
            case ".css" -> "text/css; charset=utf-8";
            case ".js" -> "text/javascript; charset=utf-8";
            case ".svg" -> "image/svg+xml";
            default -> HTML;
        };
    }

    private byte[] read(String file) {
        try (InputStream in = AdminPages.class.getResourceAsStream("pages/" + file)) {
            if (in == null) {
                throw new IllegalStateException("pages/" + file + " is not on the class path");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.replace("{http_port}", String.valueOf(httpPort)).getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
