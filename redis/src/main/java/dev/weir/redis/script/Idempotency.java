package dev.weir.redis.script;

/**
 * Says that a request is charged once, however often it is sent: if its key was admitted before, nothing is charged, and the outcomes
 * are those of then. A denial is not kept.
 */
public final class Idempotency {
    public static final long DEFAULT_KEEP_MICROS = 24 * 3_600_000_000L;
    public static final int DEFAULT_MOST = 1_000;

    final long subject;
    final byte[] key;
    final byte[] fingerprint;
    final long keepMicros;
    final int most;

    /**
     * @param subject whose key it is, as {@link dev.weir.store.CounterName#subject}: on a cluster that of the group's checks
     * @param key a hash of the caller's key, of at least 16 bytes
     * @param fingerprint a hash of what was sent, of 16 to 64 bytes and always as many
     * @param keepMicros how long an admitted key is known
     * @param most how many of a subject are known; beyond that the oldest go
     */
    public Idempotency(long subject, byte[] key, byte[] fingerprint, long keepMicros, int most) {
        if (key.length < 16 || fingerprint.length < 16 || fingerprint.length > 64) {
            throw new IllegalArgumentException("key and fingerprint: " + key.length + " and " + fingerprint.length
                    + " bytes (expected: hashes of at least 16)");
        }
        if (keepMicros < 1 || most < 1) {
            throw new IllegalArgumentException(
                    "keepMicros and most: " + keepMicros + " and " + most + " (expected: >= 1)");
        }
        this.subject = subject;
        this.key = key;
        this.fingerprint = fingerprint;
        this.keepMicros = Math.min(keepMicros, 1L << 50);
        this.most = most;
    }
}
