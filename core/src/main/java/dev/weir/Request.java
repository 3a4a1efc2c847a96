package dev.weir;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A domain, descriptors (ordered key/value entries), and a number of hits.
 *
 * <pre>{@code
 * Request.to("api").with("user_id", "u_42").with("endpoint", "POST /v1/charges").asAttributes()
 * }</pre>
 *
 * <p><b>Reuse.</b> A server decides hundreds of thousands of these a second, so a request is a buffer of flat arrays that is
 * {@linkplain #clear(String) cleared} and filled again rather than a graph built anew. It belongs to one thread at a time.
 */
public final class Request {
    /** A descriptor that does not give hits of its own. */
    private static final long UNSET = Long.MIN_VALUE;

    private String domain;
    private long hits = 1;
    private boolean attributes;
    private boolean namesCounter;

    private String[] keys = new String[8];
    private String[] values = new String[8];
    private int entries;

    private int[] ends = new int[4];
    private long[] ownHits = new long[4];
    private @Nullable Limit[] overrides = new Limit[4];
    private int descriptors;

    private Request(String domain) {
        this.domain = domain;
    }

    /** A request to {@code domain} for one hit, with no descriptors so far. */
    public static Request to(String domain) {
        return new Request(Arguments.text("domain", domain));
    }

    /** Forgets everything and starts again with {@code domain}. */
    public Request clear(String domain) {
        this.domain = Arguments.text("domain", domain);
        hits = 1;
        attributes = false;
        namesCounter = false;
        // A buffer may lie for long until it is filled again, and the strings of callers are as long as they like.
        Arrays.fill(keys, 0, entries, null);
        Arrays.fill(values, 0, entries, null);
        Arrays.fill(overrides, 0, descriptors, null);
        entries = 0;
        descriptors = 0;
        return this;
    }

    /** Takes over everything that {@code other} asks. */
    public Request set(Request other) {
        clear(other.domain);
        hits = other.hits;
        attributes = other.attributes;
        namesCounter = other.namesCounter;
        for (int i = 0; i < other.descriptors; i++) {
            descriptor();
            ownHits[i] = other.ownHits[i];
            overrides[i] = other.overrides[i];
            for (int entry = other.start(i), end = other.end(i); entry < end; entry++) {
                with(other.keys[entry], other.values[entry]);
            }
        }
        return this;
    }

    /** Sends what was collected so far to {@code domain}: a reader may meet it after the descriptors. */
    public Request domain(String domain) {
        this.domain = Arguments.text("domain", domain);
        return this;
    }

    /** Starts the next descriptor; {@link #with} starts the first by itself. */
    public Request descriptor() {
        if (descriptors == ends.length) {
            int room = descriptors * 2;
            ends = Arrays.copyOf(ends, room);
            ownHits = Arrays.copyOf(ownHits, room);
            overrides = Arrays.copyOf(overrides, room);
        }
        ends[descriptors] = entries;
        ownHits[descriptors] = UNSET;
        descriptors++;
        return this;
    }

    /** Adds an entry to the descriptor last started. */
    public Request with(String key, String value) {
        Arguments.text("key", key);
        Arguments.text(key, value);
        if (descriptors == 0) {
            descriptor();
        }
        if (entries == keys.length) {
            keys = Arrays.copyOf(keys, entries * 2);
            values = Arrays.copyOf(values, entries * 2);
        }
        keys[entries] = key;
        values[entries] = value;
        ends[descriptors - 1] = ++entries;
        return this;
    }

    /** What the request takes from every limit it meets: 0 asks without taking, a negative number gives back. */
    public Request hits(long hits) {
        this.hits = hits;
        return this;
    }

    /** What the descriptor last started takes, in place of the request's hits. */
    public Request descriptorHits(long hits) {
        return descriptorHits(last(), hits);
    }

    /** What {@code descriptor} takes, in place of the request's hits. */
    public Request descriptorHits(int descriptor, long hits) {
        ownHits[descriptor] = hits;
        return this;
    }

    /** The limit that the caller gives for the descriptor last started, whatever the rules say. */
    public Request override(Limit limit) {
        overrides[last()] = limit;
        return this;
    }

    private int last() {
        if (descriptors == 0) {
            throw new IllegalStateException("no descriptor yet (expected: descriptor() or with(key, value) before)");
        }
        return descriptors - 1;
    }

    /** The descriptor is an unordered set of attributes: it meets every rule, or path of rules, whose keys it holds. */
    public Request asAttributes() {
        this.attributes = true;
        return this;
    }

    /**
     * Asks the decision to name its {@linkplain Decision#counterName counter} even if the request passes; without this, only
     * a denial names it. It costs a few allocations.
     */
    public Request nameCounter() {
        this.namesCounter = true;
        return this;
    }

    /** Whether {@link #nameCounter} was called. */
    public boolean namesCounter() {
        return namesCounter;
    }

    public String domain() {
        return domain;
    }

    public boolean isAttributes() {
        return attributes;
    }

    public int descriptors() {
        return descriptors;
    }

    /** Index of the first entry of {@code descriptor}. */
    public int start(int descriptor) {
        return descriptor == 0 ? 0 : ends[descriptor - 1];
    }

    /** Index after the last entry of {@code descriptor}. */
    public int end(int descriptor) {
        return ends[descriptor];
    }

    public String key(int entry) {
        return keys[entry];
    }

    public String value(int entry) {
        return values[entry];
    }

    /** The hits of {@code descriptor}: its own, else the request's. */
    public long hitsOf(int descriptor) {
        long own = ownHits[descriptor];
        return own == UNSET ? hits : own;
    }

    /** Whether {@code descriptor} gives hits of its own. */
    public boolean hasOwnHits(int descriptor) {
        return ownHits[descriptor] != UNSET;
    }

    public @Nullable Limit override(int descriptor) {
        return overrides[descriptor];
    }

    /** The value of {@code key} in {@code descriptor}, or null. */
    public @Nullable String value(int descriptor, String key) {
        for (int i = start(descriptor), end = end(descriptor); i < end; i++) {
            if (keys[i].equals(key)) {
                return values[i];
            }
        }
        return null;
    }

    /** For people: {@code api [user_id=u_42, endpoint=POST /v1/charges] hits=1}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(domain);
        for (int i = 0; i < descriptors; i++) {
            text.append(i == 0 ? " [" : "], [");
            for (int entry = start(i), end = end(i); entry < end; entry++) {
                text.append(entry == start(i) ? "" : ", ").append(keys[entry]);
                text.append('=').append(values[entry]);
            }
        }
        return text.append(descriptors == 0 ? " hits=" : "] hits=").append(hits).toString();
    }
}
