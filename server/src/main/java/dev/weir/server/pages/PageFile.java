package dev.weir.server.pages;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * One file of the pages, as it is sent: plain, and compressed once for all browsers.
 *
 * @param type its content type
 */
record PageFile(String type, Buffer plain, Buffer compressed) {
    static PageFile of(String name, byte[] content) {
        return new PageFile(typeOf(name), Buffer.buffer(content), Buffer.buffer(gzip(content)));
    }

    /** The content, for a client that accepts these encodings. */
    Buffer content(@Nullable String acceptEncoding) {
        return acceptsGzip(acceptEncoding) ? compressed : plain;
    }

    static boolean acceptsGzip(@Nullable String acceptEncoding) {
        if (acceptEncoding == null) {
            return false;
        }
        for (String each : acceptEncoding.toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] parts = each.split(";", 2);
            boolean refused = parts.length > 1 && parts[1].strip().matches("q=0(\\.0*)?");
            if (parts[0].strip().equals("gzip")) {
                return !refused;
            }
        }
        return false;
    }

    private static String typeOf(String name) {
        return switch (name.substring(name.lastIndexOf('.'))) {
            case ".css" -> "text/css; charset=utf-8";
            case ".js" -> "text/javascript; charset=utf-8";
            case ".svg" -> "image/svg+xml";
            default -> "text/html; charset=utf-8";
        };
    }

    private static byte[] gzip(byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length / 2);
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
