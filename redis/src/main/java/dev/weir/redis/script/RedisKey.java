package dev.weir.redis.script;

import dev.weir.store.CounterName;
import java.nio.charset.StandardCharsets;

/**
 * What a counter is called in Redis: {@code weir:{TAG}:NAME}. The tag, from which Redis Cluster takes the slot, is the subject in 11
 * characters of base64url, so that the counters of one subject share a slot.
 */
public final class RedisKey {
    private static final byte[] DIGITS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PREFIX = "weir:{".getBytes(StandardCharsets.US_ASCII);
    private static final int TAG = 11;
    private static final int NAME = PREFIX.length + TAG + 2;

    private RedisKey() {}

    public static byte[] of(CounterName name) {
        byte[] key = new byte[NAME + name.length()];
        writeTag(name.subject(), key);
        System.arraycopy(name.bytes(), 0, key, NAME, name.length());
        return key;
    }

    private static void writeTag(long subject, byte[] key) {
        System.arraycopy(PREFIX, 0, key, 0, PREFIX.length);
        for (int i = 0; i < TAG; i++) {
            int shift = 58 - 6 * i; // the last digit has the four bits that are left
            key[PREFIX.length + i] = DIGITS[(int) (shift >= 0 ? subject >>> shift : subject << -shift) & 63];
        }
        key[NAME - 2] = '}';
        key[NAME - 1] = ':';
    }
}
