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
 * A token with all permissions, from the settings or a file. It works without a database, and restores access if every
 * other token is lost. Only its hash is kept.
 */
public final class FixedToken {
    private final @Nullable Path file;
    private volatile String hash;

    private FixedToken(@Nullable Path file, String secret) {
        this.file = file;
        this.hash = TokenText.hash(secret);
    }

    /** Creates a token from the settings, which have checked its length. */
    public static FixedToken of(String secret) {
        return new FixedToken(null, secret);
    }

    /** Reads the token from {@code file}. */
    public static FixedToken in(Path file) throws IOException {
        return new FixedToken(file, read(file));
    }

    /** Reads the file again. If that fails, the previous token stays valid. */
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
        if (secret.length() < SettingsReader.MIN_TOKEN_LENGTH) {
            throw new IOException("admin_token_file: " + file + " (expected: a secret of at least "
                    + SettingsReader.MIN_TOKEN_LENGTH + " characters; create one with: openssl rand -hex 32)");
        }
        return secret;
    }

    boolean matches(String presented) {
        return TokenText.same(hash, TokenText.hash(presented));
    }
}
