package dev.weir.internal.store;

/**
 * The idempotency key of a request, which is charged once however often it is sent. If the key was admitted before,
 * nothing is charged, and the outcomes are those of then. Denials are not remembered.
 */
public final class Idempotency {
    /** The length of {@link #caller} and {@link #key}, bytes. */
    public static final int HASH = 16;

    private static final int LONGEST_FINGERPRINT = 64;

    private final byte[] caller;
    private final byte[] key;
    private final byte[] fingerprint;
    private final long keepMicros;
    private final int most;

    /**
     * Creates the key; the arrays must not change afterwards.
     *
     * @param caller a hash of the key's owner, 16 bytes
     * @param key a hash of the key, 16 bytes
     * @param fingerprint a hash of the request, 16 to 64 bytes, of one length for all requests
     * @param keepMicros how long an admitted key is remembered
     * @param most how many keys of a caller are remembered; beyond that the oldest are forgotten
     */
    public Idempotency(byte[] caller, byte[] key, byte[] fingerprint, long keepMicros, int most) {
        if (caller.length != HASH || key.length != HASH) {
            throw new IllegalArgumentException("caller and key: " + caller.length + " and " + key.length
                    + " bytes (expected: hashes of " + HASH + ")");
        }
        if (fingerprint.length < HASH || fingerprint.length > LONGEST_FINGERPRINT) {
            throw new IllegalArgumentException("fingerprint: " + fingerprint.length + " bytes (expected: " + HASH
                    + " to " + LONGEST_FINGERPRINT + ")");
        }
        if (keepMicros < 1 || most < 1) {
            throw new IllegalArgumentException(
                    "keepMicros and most: " + keepMicros + " and " + most + " (expected: >= 1)");
        }
        this.caller = caller;
        this.key = key;
        this.fingerprint = fingerprint;
        this.keepMicros = Math.min(keepMicros, 1L << 50); // the scripts count exactly up to 2^53
        this.most = most;
    }

    public byte[] caller() {
        return caller;
    }

    public byte[] key() {
        return key;
    }

    public byte[] fingerprint() {
        return fingerprint;
    }

    public long keepMicros() {
        return keepMicros;
    }

    public int most() {
        return most;
    }
}
