package dev.weir.server.pages;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Serves the pages of the admin port. All resources come from this server, and nothing is inline. The pages contain no
 * data, so everyone may load them; their scripts ask for a token and then for the data.
 *
 * <p><b>Caching.</b> Scripts and styles have a hash of all of them in their path, so a browser keeps them for good. It
 * asks for a page itself every time, and gets 304 if the page is unchanged.
 */
public final class AdminPages {
    /** The policy: only scripts of this server, connections to this port only, and no frames. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private static final String RESOURCES = "/pages/";
    private static final String REVALIDATE = "no-cache";
    private static final String FOR_GOOD = "public, max-age=31536000, immutable";

    /** The file of each path with a name that people know. */
    private static final Map<String, String> PAGES = Map.of(
            "/", "dashboard.html",
            "/api", "reference.html",
            "/favicon.svg", "favicon.svg",
            "/favicon.ico", "favicon.svg"); // browsers ask for it where a page names no icon

    private static final String LIT_HTML = "lit-html.js";

    /** The modules of the dashboard; the page names all of them, so that a browser fetches them at once. */
    private static final List<String> MODULES = List.of(
            "dashboard.js",
            "bans.js",
            "caller.js",
            "caller-actions.js",
            "changes.js",
            "chart.js",
            "difference.js",
            "dom.js",
            "find.js",
            "fleet.js",
            "format.js",
            "keys.js",
            LIT_HTML,
            "live.js",
            "load.js",
            "marks.js",
            "now.js",
            "parts.js",
            "plot.js",
            "prompt.js",
            "route.js",
            "rule.js",
            "rule-edit.js",
            "rules.js",
            "series.js",
            "sign-in.js",
            "theme.js",
            "try.js",
            "yaml.js");

    private static final List<String> OTHERS = List.of("reference.js", "weir.css", "dashboard.css");

    private final Map<String, PageFile> resources = new TreeMap<>();
    private final Map<String, PageFile> pages = new TreeMap<>();
    private final String folder;
    private final String tag;

    /** Reads the pages, which link to the metrics on {@code httpPort} and ask for changes only of a database. */
    public AdminPages(int httpPort, boolean hasDatabase) {
        MODULES.forEach(each -> resources.put(each, PageFile.of(each, read(each))));
        OTHERS.forEach(each -> resources.put(each, PageFile.of(each, read(each))));
        String hash = hash(resources);
        this.folder = RESOURCES + hash + "/";
        this.tag = "\"" + hash + "-" + httpPort + (hasDatabase ? "-d" : "") + "\"";
        String preloads = MODULES.stream()
                .map(each -> "<link rel=\"modulepreload\" href=\"" + folder + each + "\">")
                .collect(Collectors.joining("\n"));
        PAGES.forEach((path, file) -> {
            String text = new String(read(file), StandardCharsets.UTF_8)
                    .replace("{http_port}", String.valueOf(httpPort))
                    .replace("{database}", hasDatabase ? "yes" : "no")
                    .replace("{modules}", preloads)
                    .replace("{pages}/", folder);
            pages.put(path, PageFile.of(file, text.getBytes(StandardCharsets.UTF_8)));
        });
    }

    /** Whether {@code path} is one of the pages. */
    public static boolean isPage(String path) {
        return PAGES.containsKey(path);
    }

    /** Whether a file is served at {@code path} to a client with {@code accept}. At the root only browsers get one. */
    public boolean serves(String path, @Nullable String accept) {
        return file(path) != null && (!path.equals("/") || (accept != null && accept.contains("text/html")));
    }

    private @Nullable PageFile file(String path) {
        return path.startsWith(folder) ? resources.get(path.substring(folder.length())) : pages.get(path);
    }

    /** Sends the file at the path of {@code request}. */
    public void send(HttpServerRequest request) {
        String path = String.valueOf(request.path());
        PageFile file = file(path);
        if (file == null) {
            throw new IllegalArgumentException(path + " is not a page");
        }
        HttpServerResponse response = request.response();
        response.putHeader("Content-Security-Policy", POLICY)
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Vary", "Accept, Accept-Encoding")
                .putHeader("Cache-Control", path.startsWith(folder) ? FOR_GOOD : REVALIDATE)
                .putHeader("ETag", tag);
        if (tag.equals(request.getHeader("If-None-Match"))) {
            var unused = response.setStatusCode(304).end();
            return;
        }
        Buffer content = file.content(request.getHeader("Accept-Encoding"));
        if (content == file.compressed()) {
            response.putHeader("Content-Encoding", "gzip");
        }
        var unused = response.putHeader("Content-Type", file.type()).end(content);
    }

    private static String hash(Map<String, PageFile> files) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            files.forEach((name, file) -> {
                digest.update(name.getBytes(StandardCharsets.UTF_8));
                digest.update(file.plain().getBytes());
            });
            for (String each : PAGES.values().stream().sorted().distinct().toList()) {
                digest.update(read(each));
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] read(String file) {
        if (!file.equals(LIT_HTML)) {
            return resource(file);
        }
        Properties jar = new Properties();
        try {
            jar.load(new ByteArrayInputStream(resource("/META-INF/maven/org.webjars.npm/lit-html/pom.properties")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return resource("/META-INF/resources/webjars/lit-html/" + jar.getProperty("version") + "/" + file);
    }

    private static byte[] resource(String name) {
        try (InputStream in = AdminPages.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not on the class path");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
