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
 * A token as its holder presents it: {@code weir_ID_SECRET}. The id finds the token without a search and may be shown.
 * The secret is 256 random bits, so one SHA-256 protects it: there is no dictionary of such numbers to try.
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

    /** Creates a token with a new id. */
    public static TokenText random() {
        StringBuilder id = new StringBuilder(ID);
        for (int i = 0; i < ID; i++) {
            id.append("0123456789abcdefghijklmnopqrstuvwxyz".charAt(RANDOM.nextInt(36)));
        }
        return withId(id.toString());
    }

    /** Creates a new secret for the token with this id. */
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

    /** Parses a presented token; null if it does not have this format. */
    static @Nullable TokenText parse(String text) {
        Matcher matcher = WRITTEN.matcher(text);
        return matcher.matches() ? new TokenText(matcher.group(1), matcher.group(2)) : null;
    }

    /** Returns the id in {@code text}, which may be counted and logged; empty if it is not a token. */
    public static String idOf(String text) {
        TokenText parsed = parse(text);
        return parsed == null ? "" : parsed.id;
    }

    public String id() {
        return id;
    }

    /** Returns the whole token, to be shown once. */
    public String reveal() {
        return "weir_" + id + "_" + secret;
    }

    /** Returns the hash of the secret. */
    public String hash() {
        return hash(secret);
    }

    /** Returns the hash that is stored of a secret. */
    public static String hash(String secret) {
        return Sha256.hex(secret);
    }

    /** Compares two hashes in constant time. */
    public static boolean same(String one, String other) {
        return MessageDigest.isEqual(
                one.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the token without its secret. */
    @Override
    public String toString() {
        return "weir_" + id + "_…";
    }
}
