package dev.weir.redis.internal.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The text of the script, joined from its files, and its digest. */
public final class BatchScript {
    private static final String[] FILES = {
        "begin",
        "bucket",
        "fixed_window",
        "sliding_window",
        "sub_windows",
        "sliding_window_log",
        "permits",
        "permit_levels",
        "meters",
        "groups",
        "idempotency",
        "decide"
    };

    private final byte[] text;
    private final String digest;

    private BatchScript(String text) {
        this.text = text.getBytes(StandardCharsets.UTF_8);
        try {
            this.digest =
                    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(this.text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }

    /** Loads the script on Redis's own clock. */
    public static BatchScript load() {
        return load(part("clock"));
    }

    /**
     * Loads the script on another clock, Lua text that sets {@code now} and {@code grace}: for tests on virtual time.
     */
    static BatchScript load(String clock) {
        StringBuilder text = new StringBuilder(clock);
        for (String part : FILES) {
            text.append(part(part));
        }
        return new BatchScript(strip(text.toString()));
    }

    /** Returns the text for {@code EVAL}. */
    public byte[] text() {
        return text.clone();
    }

    /** Returns the digest for {@code EVALSHA}. */
    public String digest() {
        return digest;
    }

    /** Removes indentation, empty lines and comment lines, because the script is sent to and kept by Redis as text. */
    private static String strip(String lua) {
        StringBuilder stripped = new StringBuilder(lua.length());
        lua.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                .forEach(line -> stripped.append(line).append('\n'));
        return stripped.toString();
    }

    private static String part(String name) {
        try (InputStream in = BatchScript.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException(name + ".lua: missing from the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
