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
 * The pages of the admin port for people with a browser: all our own, none from elsewhere, nothing inline. No data is in them, so
 * anybody may have them: they ask for a token and then for the data.
 */
final class AdminPages {
    /** A page of ours runs scripts of ours, asks this port alone, and is shown in no frame. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private static final String HTML = "text/html; charset=utf-8";

    /** By path: the file, and what it is. */
    private static final Map<String, String> FILES = Map.of(
            "/", "start.html",
            "/api", "api.html",
            "/pages/weir.css", "weir.css",
            "/pages/dom.js", "dom.js",
            "/pages/sign-in.js", "sign-in.js",
            "/pages/start.js", "start.js",
            "/pages/api.js", "api.js");

    private final int httpPort;
    private final Map<String, byte[]> read = new ConcurrentHashMap<>();

    /** {@code httpPort} is where metrics are. */
    AdminPages(int httpPort) {
        this.httpPort = httpPort;
    }

    /** Whether {@code path} is one of theirs. */
    static boolean isPage(String path) {
        return FILES.containsKey(path);
    }

    /** Whether there is a page at {@code path} for whoever sends {@code accept}; at the root only browsers get one. */
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
        return file.endsWith(".css")
                ? "text/css; charset=utf-8"
                : file.endsWith(".js") ? "text/javascript; charset=utf-8" : HTML;
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
