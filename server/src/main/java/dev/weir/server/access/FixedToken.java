package dev.weir.server.access;

import dev.weir.control.token.TokenText;
import dev.weir.server.settings.SettingsReader;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One token for everything that stands in the settings or in a file of its own: it works without a database, and is the way
 * back in where every other token is lost. Only its hash is kept.
 */
public final class FixedToken {
    private final @Nullable Path file;
    private volatile String hash;

    private FixedToken(@Nullable Path file, String secret) {
        this.file = file;
        this.hash = TokenText.hash(secret);
    }

    /** A token that was set; how long it is was checked when it was read. */
    public static FixedToken of(String secret) {
        return new FixedToken(null, secret);
    }

    /** The token that stands in {@code file}. */
    public static FixedToken in(Path file) throws IOException {
        return new FixedToken(file, read(file));
    }

    /** Reads its file again; where that cannot be, the token of before holds. */
    public void reload() throws IOException {
        if (file != null) {
            hash = TokenText.hash(read(file));
        }
    }

    private static String read(Path file) throws IOException {
        String secret;
        try {
            secret = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new IOException("admin_token_file: " + file + " cannot be read: " + FileErrors.why(e), e);
        }
        if (secret.length() < SettingsReader.SHORTEST_TOKEN) {
            throw new IOException("admin_token_file: " + file + " (expected: a secret of at least "
                    + SettingsReader.SHORTEST_TOKEN + " characters; openssl rand -hex 32 makes one)");
        }
        return secret;
    }

    boolean matches(String presented) {
        return TokenText.same(hash, TokenText.hash(presented));
    }
}
