package dev.weir.control.token;

import dev.weir.internal.runtime.Sha256;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A token as its holder has it: {@code weir_ID_SECRET}. The id finds it without a search and may be shown; the secret is 256
 * random bits, so one round of SHA-256 keeps it: there is no dictionary of such numbers to try.
 */
public final class TokenText {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final BigInteger BASE = BigInteger.valueOf(LETTERS.length());
    private static final int ID = 10;
    private static final int SECRET_BITS = 256;
    /** 62^43 > 2^256. */
    private static final int SECRET = 43;

    private static final Pattern WRITTEN = Pattern.compile("weir_([a-z0-9]{" + ID + "})_([0-9A-Za-z]{" + SECRET + "})");

    private final String id;
    private final String secret;

    private TokenText(String id, String secret) {
        this.id = id;
        this.secret = secret;
    }

    /** A new token with a new id. */
    public static TokenText random() {
        StringBuilder id = new StringBuilder(ID);
        for (int i = 0; i < ID; i++) {
            id.append("0123456789abcdefghijklmnopqrstuvwxyz".charAt(RANDOM.nextInt(36)));
        }
        return withId(id.toString());
    }

    /** A new secret for the token with this id. */
    public static TokenText withId(String id) {
        StringBuilder secret = new StringBuilder(SECRET);
        BigInteger left = new BigInteger(SECRET_BITS, RANDOM);
        for (int i = 0; i < SECRET; i++) {
            BigInteger[] parts = left.divideAndRemainder(BASE);
            secret.append(LETTERS.charAt(parts[1].intValue()));
            left = parts[0];
        }
        return new TokenText(id, secret.toString());
    }

    /** What somebody presents, or null if it is no token of this shape. */
    static @Nullable TokenText parse(String text) {
        Matcher matcher = WRITTEN.matcher(text);
        return matcher.matches() ? new TokenText(matcher.group(1), matcher.group(2)) : null;
    }

    /** The id that {@code text} claims, or empty: what may be counted and logged of something that was presented. */
    public static String idOf(String text) {
        TokenText parsed = parse(text);
        return parsed == null ? "" : parsed.id;
    }

    public String id() {
        return id;
    }

    /** The whole token, to be shown once. */
    public String reveal() {
        return "weir_" + id + "_" + secret;
    }

    /** What is kept of its secret. */
    public String hash() {
        return hash(secret);
    }

    /** What is kept of a secret. */
    public static String hash(String secret) {
        return Sha256.hex(secret);
    }

    /** Whether two hashes are the same, in a time that does not tell how much of them is. */
    public static boolean same(String one, String other) {
        return MessageDigest.isEqual(
                one.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
    }

    /** Never the secret. */
    @Override
    public String toString() {
        return "weir_" + id + "_…";
    }
}
