package dev.weir.internal.match;

import dev.weir.Request;
import dev.weir.internal.match.pattern.EndpointPattern;
import dev.weir.internal.match.pattern.IpAddress;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of one descriptor, each in the slot that its domain's rules know it by, so that a rule reads an attribute
 * without looking for it. Names that no rule mentions have no slot.
 */
public final class AttributeValues {
    static final int ENDPOINT = 0;
    public static final int METHOD = 1;
    public static final int CLIENT_ID = 2;
    static final int IP = 3;
    static final int REMOTE_ADDRESS = 4;
    static final int API_KEY = 5;
    static final int TIER = 6;
    /** The slots above, which every domain has. */
    static final int KNOWN = 7;

    private static final String[] METHODS = {"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"};

    private @Nullable String[] values = new String[16];
    private int[] filled = new int[16];
    private int size;
    /** Where the path begins in the endpoint, and its hash as text of its own. */
    private int path;

    private int pathHash;
    /** The slots whose values are addresses, and count and compare by their bits. */
    private BitSet addresses = new BitSet();

    private final IpAddress address = new IpAddress();

    /** Takes in {@code descriptor}; of an attribute given twice, the first counts. */
    public void load(Request request, int descriptor, Map<String, Integer> slots, BitSet addresses) {
        clear();
        this.addresses = addresses;
        if (values.length < slots.size()) {
            values = new String[slots.size()];
            filled = new int[slots.size()];
        }
        for (int i = request.start(descriptor), end = request.end(descriptor); i < end; i++) {
            Integer slot = slots.get(request.key(i));
            if (slot != null && values[slot] == null) {
                fill(slot, request.value(i));
            }
        }
        alias(IP, REMOTE_ADDRESS);
        alias(REMOTE_ADDRESS, IP);
        String endpoint = values[ENDPOINT];
        if (endpoint != null) {
            readEndpoint(endpoint);
        }
    }

    /** Puts {@code tier} in the place of the one that was given; one that nobody gave is added beside an api_key. */
    public void tier(String tier) {
        if (values[TIER] != null) {
            values[TIER] = tier;
        } else if (values[API_KEY] != null || values[CLIENT_ID] != null) {
            fill(TIER, tier);
        }
    }

    private void fill(int slot, String value) {
        values[slot] = value;
        filled[size++] = slot;
    }

    private void alias(int slot, int other) {
        String value = values[other];
        if (values[slot] == null && value != null) {
            fill(slot, value);
        }
    }

    private void readEndpoint(String endpoint) {
        path = EndpointPattern.pathOf(endpoint);
        pathHash = path == 0 ? endpoint.hashCode() : hash(endpoint, path);
        if (path > 0 && values[METHOD] == null) {
            fill(METHOD, method(endpoint, path - 1));
        }
    }

    /** What {@link String#hashCode} of the text from {@code start} on would be. */
    private static int hash(String text, int start) {
        int hash = 0;
        for (int i = start; i < text.length(); i++) {
            hash = 31 * hash + text.charAt(i);
        }
        return hash;
    }

    private static String method(String endpoint, int length) {
        for (String known : METHODS) {
            if (known.length() == length && endpoint.startsWith(known)) {
                return known;
            }
        }
        return endpoint.substring(0, length);
    }

    /** Forgets the descriptor, and so the strings of the request. */
    public void clear() {
        for (int i = 0; i < size; i++) {
            values[filled[i]] = null;
        }
        size = 0;
    }

    @Nullable
    public String value(int slot) {
        return values[slot];
    }

    /** How many slots have a value. */
    public int size() {
        return size;
    }

    /** The slot that was filled as the {@code index}th. */
    public int slot(int index) {
        return filled[index];
    }

    /** The hash of what an index compares in a slot that has a value: of an endpoint its path, of an address its bits. */
    public int indexHash(int slot) {
        String value = values[slot];
        if (slot == ENDPOINT || value == null) {
            return pathHash;
        }
        if (addresses.get(slot)) {
            return address.read(value) ? address.bitsHash() : 0;
        }
        return value.hashCode();
    }

    /** Whether an index that holds {@code text} for {@code slot} means this descriptor. */
    public boolean indexEquals(int slot, String text) {
        String value = values[slot];
        if (value == null) {
            return false;
        }
        if (slot == ENDPOINT) {
            return value.length() - path == text.length() && value.startsWith(text, path);
        }
        return addresses.get(slot) ? address.read(value) && address.bitsEqual(text) : value.equals(text);
    }

    @Override
    public String toString() {
        return Arrays.toString(values);
    }
}
