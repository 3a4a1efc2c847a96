package dev.weir.internal.counter;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.SplittableRandom;

/**
 * Hashes counter keys: SipHash-1-3 with 128 bits of output, keyed by a seed that callers cannot know. So callers cannot
 * choose values that share a counter or crowd one stripe of a table.
 *
 * <h2>Framing</h2>
 *
 * <p>The input is an injective encoding in whole 64-bit words, so {@code ("ab", "c")} and {@code ("a", "bc")} differ by
 * construction, not by chance. A string is one word with its length and its first two chars, then four chars a word,
 * the last word padded with zeros. A number is a word that no string begins with (the top bit is set), then its low
 * half. Chars are hashed as they are: NUL and unpaired surrogates are values like any other.
 *
 * <h2>Prefixes</h2>
 *
 * <p>{@link #reset(long, long)} starts from an earlier hash, say of a rule's name, as a derived key. So the prefix that
 * all requests to a rule share is hashed once.
 *
 * <p>One accumulator per thread: {@code h.reset().add("api").add(user).end()}, then {@link #key0} and {@link #key1}. It
 * allocates nothing.
 *
 * @see <a href="https://cr.yp.to/siphash/siphash-20120918.pdf">Aumasson, Bernstein: SipHash, a fast short-input PRF</a>
 */
public final class CounterKeyHash {
    private static final long NUMBER = 1L << 63;

    private final long seed0, seed1;
    private long v0, v1, v2, v3;
    private long words;
    private long key0, key1;

    /** Uses the seed of this process: random, and the same for every accumulator in it. */
    public CounterKeyHash() {
        this(ProcessSeed.SEED0, ProcessSeed.SEED1);
    }

    /** Uses the given seed, for runs that must be repeatable. */
    public CounterKeyHash(long seed0, long seed1) {
        this.seed0 = seed0;
        this.seed1 = seed1;
        reset();
    }

    /** Begins a key without a prefix. */
    public CounterKeyHash reset() {
        return reset(seed0, seed1);
    }

    /** Begins a key that continues the key which hashed to this prefix. */
    public CounterKeyHash reset(long prefix0, long prefix1) {
        v0 = prefix0 ^ 0x736f6d6570736575L;
        v1 = prefix1 ^ 0x646f72616e646f6dL ^ 0xee;
        v2 = prefix0 ^ 0x6c7967656e657261L;
        v3 = prefix1 ^ 0x7465646279746573L;
        words = 0;
        return this;
    }

    public CounterKeyHash add(String part) {
        int length = part.length();
        long head = (long) length << 32;
        if (length >= 2) {
            head |= part.charAt(0) | (long) part.charAt(1) << 16;
        } else if (length == 1) {
            head |= part.charAt(0);
        }
        absorb(head);
        int at = 2;
        for (; at + 4 <= length; at += 4) {
            absorb(part.charAt(at)
                    | (long) part.charAt(at + 1) << 16
                    | (long) part.charAt(at + 2) << 32
                    | (long) part.charAt(at + 3) << 48);
        }
        if (at < length) {
            long tail = part.charAt(at);
            if (at + 1 < length) {
                tail |= (long) part.charAt(at + 1) << 16;
            }
            if (at + 2 < length) {
                tail |= (long) part.charAt(at + 2) << 32;
            }
            absorb(tail);
        }
        return this;
    }

    public CounterKeyHash add(long number) {
        absorb(NUMBER | number >>> 32);
        absorb(number & 0xffffffffL);
        return this;
    }

    /** Ends the key. Afterwards call only {@link #reset} or the getters of the hash. */
    public CounterKeyHash end() {
        absorb(words << 59); // SipHash's last word: the length in bytes, modulo 256, in the top byte
        v2 ^= 0xee;
        key0 = threeRounds();
        v1 ^= 0xdd;
        key1 = threeRounds();
        return this;
    }

    public long key0() {
        return key0;
    }

    public long key1() {
        return key1;
    }

    void absorb(long word) {
        v3 ^= word;
        round();
        v0 ^= word;
        words++;
    }

    private long threeRounds() {
        round();
        round();
        round();
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
        long a = v0, b = v1, c = v2, d = v3;
        a += b;
        b = Long.rotateLeft(b, 13) ^ a;
        a = Long.rotateLeft(a, 32);
        c += d;
        d = Long.rotateLeft(d, 16) ^ c;
        a += d;
        d = Long.rotateLeft(d, 21) ^ a;
        c += b;
        b = Long.rotateLeft(b, 17) ^ c;
        c = Long.rotateLeft(c, 32);
        v0 = a;
        v1 = b;
        v2 = c;
        v3 = d;
    }

    /**
     * The seed of this process, drawn at first use; {@value #GIVEN} sets it for a simulation, which must be repeatable.
     */
    private static final class ProcessSeed {
        static final String GIVEN = "weir.hash-seed";
        static final long SEED0, SEED1;

        static {
            byte[] bytes = new byte[16];
            Long given = Long.getLong(GIVEN);
            if (given == null) {
                new SecureRandom().nextBytes(bytes);
            } else {
                new SplittableRandom(given).nextBytes(bytes);
            }
            ByteBuffer words = ByteBuffer.wrap(bytes);
            SEED0 = words.getLong();
            SEED1 = words.getLong();
        }
    }
}
