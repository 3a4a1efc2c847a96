package dev.weir.internal.store;

/**
 * Says that a request is charged once, however often it is sent: if its key was admitted before, nothing is charged, and the
 * outcomes are those of then. A denial is not kept.
 */
public final class Idempotency {
    /** Bytes of {@link #caller} and {@link #key}. */
    public static final int HASH = 16;

    private static final int LONGEST_FINGERPRINT = 64;

    private final byte[] caller;
    private final byte[] key;
    private final byte[] fingerprint;
    private final long keepMicros;
    private final int most;

    /**
     * None of the arrays may change any more.
     *
     * @param caller a hash of whose key it is, of 16 bytes
     * @param key a hash of the key, of 16 bytes
     * @param fingerprint a hash of what was sent, of 16 to 64 bytes and always as many
     * @param keepMicros how long an admitted key is known
     * @param most how many keys of a caller are known; beyond that the oldest go
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
        this.keepMicros = Math.min(keepMicros, 1L << 50); // what a script can count with
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
