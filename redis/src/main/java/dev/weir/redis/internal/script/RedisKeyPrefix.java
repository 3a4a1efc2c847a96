package dev.weir.redis.internal.script;

import java.nio.charset.StandardCharsets;

/**
 * Text before every key of a store, so that several environments can use one Redis without sharing counters. It has no
 * braces, because a cluster derives the hash slot from the first pair of them.
 */
public final class RedisKeyPrefix {
    /** Describes a valid prefix, for error messages. */
    public static final String EXPECTED = "up to 128 visible ASCII characters, and no braces";

    private static final int MOST = 128;

    private final byte[] bytes;

    /** Creates the prefix {@code text}, which {@link #isValid} accepts; empty for none. */
    public RedisKeyPrefix(String text) {
        this.bytes = text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether {@code text} can be a prefix. */
    public static boolean isValid(String text) {
        return text.length() <= MOST && text.chars().allMatch(c -> c > ' ' && c < 127 && c != '{' && c != '}');
    }

    /** Returns {@code key} with the prefix before it; {@code key} itself if the prefix is empty. */
    public byte[] before(byte[] key) {
        if (bytes.length == 0) {
            return key;
        }
        byte[] all = new byte[bytes.length + key.length];
        System.arraycopy(bytes, 0, all, 0, bytes.length);
        System.arraycopy(key, 0, all, bytes.length, key.length);
        return all;
    }
}
