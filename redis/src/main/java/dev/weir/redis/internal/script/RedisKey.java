package dev.weir.redis.internal.script;

import dev.weir.internal.counter.CounterName;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The key of a counter in Redis: {@code weir:{TAG}:NAME}. Redis Cluster derives the hash slot from the tag, which is
 * the subject in 11 characters of base64url. So the counters of one subject share a hash slot.
 */
public final class RedisKey {
    private static final byte[] DIGITS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PREFIX = "weir:{".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] IDEMPOTENCY = "/idem:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] LEASE = "/lease:".getBytes(StandardCharsets.US_ASCII);
    private static final int TAG = 11;
    private static final int NAME = PREFIX.length + TAG + 2;

    /** Stands for the hash slot outside of a cluster. */
    public static final int NO_SLOT = -1;

    private static final int SLOTS = 1 << 14;
    private static final int[] CRC = crcTable();

    private RedisKey() {}

    public static byte[] of(CounterName name) {
        byte[] key = new byte[NAME + name.length()];
        writeTag(name.subject(), key);
        System.arraycopy(name.bytes(), 0, key, NAME, name.length());
        return key;
    }

    /** Returns the hash slot of the counters of {@code subject}: CRC16 (XMODEM) of the tag. */
    public static int slot(long subject) {
        int crc = 0;
        for (int i = 0; i < TAG; i++) {
            crc = (crc << 8 ^ CRC[(crc >>> 8 ^ digit(subject, i)) & 0xFF]) & 0xFFFF;
        }
        return crc & SLOTS - 1;
    }

    private static int[] crcTable() {
        int[] table = new int[256];
        for (int i = 0; i < table.length; i++) {
            int crc = i << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc << 1 ^ ((crc & 0x8000) == 0 ? 0 : 0x1021);
            }
            table[i] = crc & 0xFFFF;
        }
        return table;
    }

    private static byte digit(long subject, int index) {
        int shift = 58 - 6 * index; // the last digit has the remaining four bits
        return DIGITS[(int) (shift >= 0 ? subject >>> shift : subject << -shift) & 63];
    }

    /** Returns the key of a caller's idempotency records outside of a cluster: all in one place. */
    public static byte[] ofIdempotency(byte[] caller) {
        return ofIdempotency(ByteBuffer.wrap(caller).getLong(), caller);
    }

    /**
     * Returns the key of a caller's idempotency records in the hash slot of {@code subject}; no counter has such a
     * name.
     */
    public static byte[] ofIdempotency(long subject, byte[] caller) {
        byte[] text = Base64.getUrlEncoder().withoutPadding().encode(caller);
        byte[] key = new byte[NAME - 1 + IDEMPOTENCY.length + text.length];
        writeTag(subject, key);
        System.arraycopy(IDEMPOTENCY, 0, key, NAME - 1, IDEMPOTENCY.length);
        System.arraycopy(text, 0, key, key.length - text.length, text.length);
        return key;
    }

    /** Returns the key of a grant that is kept for {@code lessee}, in the hash slot of {@code subject}. */
    static byte[] ofGrant(long subject, long lessee) {
        byte[] key = new byte[NAME - 1 + LEASE.length + TAG];
        writeTag(subject, key);
        System.arraycopy(LEASE, 0, key, NAME - 1, LEASE.length);
        for (int i = 0; i < TAG; i++) {
            key[key.length - TAG + i] = digit(lessee, i);
        }
        return key;
    }

    /** Returns the key of notes for all servers, {@code weir:{TAG}/notes:NAME}; no counter has such a name. */
    public static byte[] ofNotes(long subject, String notes) {
        byte[] text = ("/notes:" + notes).getBytes(StandardCharsets.US_ASCII);
        byte[] key = new byte[NAME - 1 + text.length];
        writeTag(subject, key);
        System.arraycopy(text, 0, key, NAME - 1, text.length);
        return key;
    }

    private static void writeTag(long subject, byte[] key) {
        System.arraycopy(PREFIX, 0, key, 0, PREFIX.length);
        for (int i = 0; i < TAG; i++) {
            key[PREFIX.length + i] = digit(subject, i);
        }
        key[NAME - 2] = '}';
        key[NAME - 1] = ':';
    }
}
