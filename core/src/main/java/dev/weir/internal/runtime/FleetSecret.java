package dev.weir.internal.runtime;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signs notes that servers leave for each other in a store that others may write to, and verifies them.
 *
 * <p><b>Form.</b> A signed note is {@code w1 KEY MAC STAMP CONTENT}. MAC is HMAC-SHA256 over the version, the kind, the
 * subject, the stamp and the content, each preceded by its length. So a note cannot be altered, nor moved to another
 * kind or subject. KEY is derived from the secret and tells two secrets apart without revealing either.
 *
 * <p><b>Replay.</b> A signature does not expire. The reader of a kind bounds replay by the stamp, which orders the
 * notes of one subject or tells their age.
 *
 * <p><b>Rotation.</b> The first secret signs, all of them verify.
 */
public final class FleetSecret {
    /** The minimum length of a secret: 128 bits in hexadecimal digits. */
    public static final int MIN_LENGTH = 32;
    /** The maximum number of secrets: a new one and the one that it replaces. */
    public static final int MOST = 2;

    private static final String VERSION = "w1";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int PARTS = 5;
    private static final int KEY_ID_BYTES = 4;

    private final List<Key> keys;

    private record Key(String id, SecretKeySpec key) {}

    /** Whether a note can be trusted, and if not, why. */
    public enum Trust {
        /** A server with the fleet's secret wrote it, as it is. */
        VERIFIED,
        /** It has no signature. */
        UNSIGNED,
        /** It names a key of this fleet, and its signature is wrong. */
        FORGED,
        /** It names a key that this server does not have. */
        OTHER_SECRET
    }

    /**
     * A note without its signature.
     *
     * @param stamp its stamp; 0 if it has no signature
     */
    public record Note(Trust trust, long stamp, String content) {}

    /**
     * Creates keys from secrets, whose length the caller has checked.
     *
     * @param secrets the first signs, all verify
     */
    public FleetSecret(List<String> secrets) {
        if (secrets.isEmpty()) {
            throw new IllegalArgumentException("secrets: none (expected: at least one)");
        }
        this.keys = secrets.stream().map(FleetSecret::key).toList();
    }

    private static Key key(String secret) {
        SecretKeySpec key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
        byte[] id = mac(key).doFinal("weir fleet key id".getBytes(StandardCharsets.UTF_8));
        return new Key(HexFormat.of().formatHex(id, 0, KEY_ID_BYTES), key);
    }

    /** The id of the key that signs; it may be shown. */
    public String keyId() {
        return keys.get(0).id();
    }

    /** Signs {@code content}. */
    public String sign(String kind, String subject, long stamp, String content) {
        Key first = keys.get(0);
        String mac = HexFormat.of().formatHex(mac(first.key(), kind, subject, stamp, content));
        return VERSION + ' ' + first.id() + ' ' + mac + ' ' + stamp + ' ' + content;
    }

    /**
     * Reads a note of this kind and subject.
     *
     * @param secret null if this server has none; a signed note is then as unverified as any other
     */
    public static Note read(@Nullable FleetSecret secret, String kind, String subject, String text) {
        String[] parts = text.split(" ", PARTS);
        if (parts.length < PARTS || !parts[0].equals(VERSION)) {
            return new Note(Trust.UNSIGNED, 0, text);
        }
        long stamp;
        try {
            stamp = Long.parseLong(parts[3]);
        } catch (NumberFormatException e) {
            return new Note(Trust.FORGED, 0, parts[4]);
        }
        Trust trust = secret == null ? Trust.UNSIGNED : secret.trust(kind, subject, stamp, parts);
        return new Note(trust, stamp, parts[4]);
    }

    private Trust trust(String kind, String subject, long stamp, String[] parts) {
        boolean known = false;
        for (Key each : keys) {
            if (each.id().equals(parts[1])) {
                known = true;
                String expected = HexFormat.of().formatHex(mac(each.key(), kind, subject, stamp, parts[4]));
                if (MessageDigest.isEqual(
                        expected.getBytes(StandardCharsets.UTF_8), parts[2].getBytes(StandardCharsets.UTF_8))) {
                    return Trust.VERIFIED;
                }
            }
        }
        return known ? Trust.FORGED : Trust.OTHER_SECRET;
    }

    private static byte[] mac(SecretKeySpec key, String kind, String subject, long stamp, String content) {
        Mac mac = mac(key);
        for (String each : new String[] {VERSION, kind, subject, Long.toString(stamp), content}) {
            byte[] bytes = each.getBytes(StandardCharsets.UTF_8);
            mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
            mac.update(bytes);
        }
        return mac.doFinal();
    }

    private static Mac mac(SecretKeySpec key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    /** Never shows a secret. */
    @Override
    public String toString() {
        return "set";
    }
}
