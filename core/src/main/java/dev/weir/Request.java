package dev.weir;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A request to decide: a domain, descriptors (ordered key/value entries), and a number of hits.
 *
 * <pre>{@code
 * Request.to("api").with("user_id", "u_42").with("endpoint", "POST /v1/charges").asAttributes()
 * }</pre>
 *
 * <p><b>Reuse.</b> A server decides hundreds of thousands of requests a second. A request is therefore a buffer of flat
 * arrays that callers {@linkplain #clear(String) clear} and fill again. One thread at a time may use it.
 */
public final class Request {
    /** Marks a descriptor without hits of its own. */
    private static final long UNSET = Long.MIN_VALUE;

    private static final String REQUESTS = "requests";
    private static final String[] NO_UNITS = {};

    private String domain;
    private long hits = 1;
    private boolean hitsGiven;
    private boolean takesNothing;
    /** The units that the request names beside requests, and the hits of each. */
    private String[] units = NO_UNITS;

    private long[] unitHits = {};
    private int unitCount;
    private boolean attributes;
    private boolean namesCounter;
    private boolean takesPermits = true;
    private boolean chargedInFull;
    private @Nullable BiPredicate<String, Integer> onlyRules;

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

    /** Creates a request to {@code domain} for one hit, without descriptors. */
    public static Request to(String domain) {
        return new Request(Arguments.text("domain", domain));
    }

    /** Clears everything and starts again with {@code domain}. */
    public Request clear(String domain) {
        this.domain = Arguments.text("domain", domain);
        hits = 1;
        hitsGiven = false;
        takesNothing = false;
        if (unitCount > 0) {
            Arrays.fill(units, 0, unitCount, null);
            unitCount = 0;
        }
        attributes = false;
        namesCounter = false;
        takesPermits = true;
        chargedInFull = false;
        onlyRules = null;
        // The buffer may stay unused for long, and the strings of callers may be large: do not retain them.
        Arrays.fill(keys, 0, entries, null);
        Arrays.fill(values, 0, entries, null);
        Arrays.fill(overrides, 0, descriptors, null);
        entries = 0;
        descriptors = 0;
        return this;
    }

    /** Copies everything from {@code other}. */
    public Request set(Request other) {
        clear(other.domain);
        hits = other.hits;
        hitsGiven = other.hitsGiven;
        takesNothing = other.takesNothing;
        for (int i = 0; i < other.unitCount; i++) {
            hits(other.units[i], other.unitHits[i]);
        }
        attributes = other.attributes;
        namesCounter = other.namesCounter;
        takesPermits = other.takesPermits;
        chargedInFull = other.chargedInFull;
        onlyRules = other.onlyRules;
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

    /** Sets the domain and keeps everything else: a parser may read the domain after the descriptors. */
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

    /** Adds an entry to the current descriptor. */
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

    /**
     * Sets the hits that the request takes from every limit on requests that applies: 0 takes nothing, a negative
     * number gives back. If a rule has {@code costs}, this can only raise them, unless the rule trusts its callers.
     */
    public Request hits(long hits) {
        this.hits = hits;
        this.hitsGiven = true;
        return this;
    }

    /**
     * Sets the hits that the request takes from limits that count {@code unit}, such as {@code output_tokens}. A limit
     * whose unit is not set does not apply to the request; {@code requests} is 1 unless set.
     */
    public Request hits(String unit, long hits) {
        Arguments.text("unit", unit);
        if (unit.equals(REQUESTS)) {
            return hits(hits);
        }
        int at = indexOf(unit);
        if (at < 0) {
            if (unitCount == units.length) {
                units = Arrays.copyOf(units, unitCount + 4);
                unitHits = Arrays.copyOf(unitHits, unitCount + 4);
            }
            at = unitCount++;
            units[at] = unit;
        }
        unitHits[at] = hits;
        return this;
    }

    private int indexOf(String unit) {
        for (int i = 0; i < unitCount; i++) {
            if (units[i].equals(unit)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Sets the hits of {@code other}: those of every unit that it names; 0 for units that only this request names, and 1
     * or what it says for requests.
     */
    public Request setHits(Request other) {
        hits = other.hits;
        hitsGiven = other.hitsGiven;
        Arrays.fill(ownHits, 0, descriptors, UNSET);
        Arrays.fill(unitHits, 0, unitCount, 0);
        for (int i = 0; i < other.unitCount; i++) {
            hits(other.units[i], other.unitHits[i]);
        }
        return this;
    }

    /** Asks every limit that applies, of every unit, and takes nothing, whatever the rules' {@code costs} say. */
    public Request takeNothing() {
        hits(0);
        this.takesNothing = true;
        return this;
    }

    /** Sets the hits of the current descriptor, replacing the request's hits. */
    public Request descriptorHits(long hits) {
        return descriptorHits(last(), hits);
    }

    /** Sets the hits of {@code descriptor}, replacing the request's hits. */
    public Request descriptorHits(int descriptor, long hits) {
        ownHits[descriptor] = hits;
        return this;
    }

    /**
     * Sets the caller's own limit for the current descriptor, which takes precedence over the rules.
     *
     * @throws IllegalArgumentException for {@code concurrency}, which only a rule can limit
     */
    public Request override(Limit limit) {
        if (limit.algorithm() == Algorithm.CONCURRENCY) {
            throw new IllegalArgumentException("override: concurrency (expected: a rate; a rule limits concurrency)");
        }
        overrides[last()] = limit;
        return this;
    }

    private int last() {
        if (descriptors == 0) {
            throw new IllegalStateException("no descriptor yet (expected: descriptor() or with(key, value) before)");
        }
        return descriptors - 1;
    }

    /**
     * Treats the descriptor as an unordered set of attributes: it matches every rule, or path of rules, whose keys it
     * has.
     */
    public Request asAttributes() {
        this.attributes = true;
        return this;
    }

    /**
     * Asks the decision to name its {@linkplain Decision#counterName counter} even if the request passes; without this,
     * only a denial names it. It costs a few allocations.
     */
    public Request nameCounter() {
        this.namesCounter = true;
        return this;
    }

    /**
     * Leaves {@code concurrency} rules out of the decision, because the caller has no way to release what they would
     * take.
     */
    public Request withoutPermits() {
        this.takesPermits = false;
        return this;
    }

    /**
     * Charges the hits in full, also beyond the limits, because they were used already. The request is not denied for
     * them; later ones are, until the debt is repaid.
     */
    public Request chargeInFull() {
        this.chargedInFull = true;
        return this;
    }

    /** Whether {@link #chargeInFull} was called. */
    public boolean isChargedInFull() {
        return chargedInFull;
    }

    /**
     * Asks only those of the rules that match the request that pass {@code filter}. It is called with the
     * {@linkplain Verdict#ruleName name} of a rule and the descriptor that matches it, counted from 0, on the thread that
     * decides, and must not block.
     */
    public Request onlyRules(BiPredicate<String, Integer> filter) {
        this.onlyRules = filter;
        return this;
    }

    /** Which of the rules that match are asked; null if all are. */
    public @Nullable BiPredicate<String, Integer> onlyRules() {
        return onlyRules;
    }

    /** Whether {@code concurrency} rules apply: {@link #withoutPermits} was not called. */
    public boolean takesPermits() {
        return takesPermits;
    }

    /** Whether {@link #nameCounter} was called. */
    public boolean namesCounter() {
        return namesCounter;
    }

    public String domain() {
        return domain;
    }

    /** Whether {@link #takeNothing} was called. */
    public boolean takesNothing() {
        return takesNothing;
    }

    /** Whether any of its hits are negative, so that it gives them back. */
    public boolean givesBack() {
        for (int i = 0; i < descriptors; i++) {
            if (hitsOf(i) < 0) {
                return true;
            }
        }
        for (int i = 0; i < unitCount; i++) {
            if (unitHits[i] < 0) {
                return true;
            }
        }
        return false;
    }

    /** The units other than {@code requests} whose hits {@link #hits(String, long)} set. */
    public List<String> units() {
        return unitCount == 0 ? List.of() : List.of(Arrays.copyOf(units, unitCount));
    }

    /** Whether {@link #hits(String, long)} set the hits of {@code unit}, which is not {@code requests}. */
    public boolean names(String unit) {
        return indexOf(unit) >= 0;
    }

    /** The hits of {@code unit}, which is not {@code requests}; 0 if they were not set. */
    public long hitsOf(String unit) {
        int at = indexOf(unit);
        return at < 0 ? 0 : unitHits[at];
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

    /** Whether the hits of {@code descriptor} were set, for it or for the request. */
    public boolean hasHits(int descriptor) {
        return hitsGiven || ownHits[descriptor] != UNSET;
    }

    /** Whether {@code descriptor} has hits of its own. */
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

    /** Formats the request for people: {@code api [user_id=u_42, endpoint=POST /v1/charges] hits=1}. */
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
