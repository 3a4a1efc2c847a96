package dev.weir.internal.match;

import dev.weir.Request;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.pattern.EndpointPattern;
import dev.weir.internal.match.pattern.IpAddress;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of one descriptor, each at the position that its domain's rules know it by, so that a rule reads an
 * attribute without searching. Attributes that no rule mentions have no position.
 */
public final class AttributeValues {
    static final int ENDPOINT = 0;
    public static final int METHOD = 1;
    public static final int CLIENT_ID = 2;
    static final int IP = 3;
    static final int REMOTE_ADDRESS = 4;
    static final int API_KEY = 5;
    static final int TIER = 6;
    /** The endpoint in lower case, for rules that ignore its letter case; no attribute of a request comes here. */
    static final int LOWER_CASE_ENDPOINT = 7;
    /** The number of positions above, which every domain has. */
    static final int KNOWN = 8;

    private static final String[] METHODS = {"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"};

    private @Nullable String[] values = new String[16];
    private int[] filled = new int[16];
    private int size;
    /** Where the path begins in the endpoint; below, the hash of the path alone. */
    private int path;

    private int pathHash;
    private int lowerCasePathHash;
    /** The positions whose values are addresses; they are counted and compared by their bits. */
    private BitSet addresses = new BitSet();

    private final IpAddress address = new IpAddress();

    /** Loads {@code descriptor}; of an attribute given twice, the first counts. */
    public void load(Request request, int descriptor, AttributePositions positions) {
        clear();
        this.addresses = positions.addresses;
        if (values.length < positions.size()) {
            values = new String[positions.size()];
            filled = new int[positions.size()];
        }
        for (int i = request.start(descriptor), end = request.end(descriptor); i < end; i++) {
            Integer position = positions.find(request.key(i));
            if (position != null && values[position] == null) {
                fill(position, request.value(i));
            }
        }
        alias(IP, REMOTE_ADDRESS);
        alias(REMOTE_ADDRESS, IP);
        String endpoint = values[ENDPOINT];
        if (endpoint != null && positions.readsEndpoint) {
            path = EndpointPattern.pathOf(endpoint);
            readEndpoint(positions.form.of(endpoint, path), positions.readsLowerCase);
        }
    }

    /** Replaces or adds the value at {@code position}. */
    void put(int position, String value) {
        if (values[position] == null) {
            fill(position, value);
        } else {
            values[position] = value;
        }
    }

    private void fill(int position, String value) {
        values[position] = value;
        filled[size++] = position;
    }

    private void alias(int position, int other) {
        String value = values[other];
        if (values[position] == null && value != null) {
            fill(position, value);
        }
    }

    private void readEndpoint(String endpoint, boolean alsoInLowerCase) {
        values[ENDPOINT] = endpoint;
        pathHash = pathHash(endpoint);
        if (path > 0 && values[METHOD] == null) {
            fill(METHOD, method(endpoint, path - 1));
        }
        if (alsoInLowerCase) {
            String lower = EndpointForm.lowerCase(endpoint, path);
            fill(LOWER_CASE_ENDPOINT, lower);
            lowerCasePathHash = pathHash(lower);
        }
    }

    private int pathHash(String endpoint) {
        return path == 0 ? endpoint.hashCode() : hash(endpoint, path);
    }

    /** The {@link String#hashCode} of the text from {@code start} on. */
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

    /** Forgets the descriptor, and with it the strings of the request. */
    public void clear() {
        for (int i = 0; i < size; i++) {
            values[filled[i]] = null;
        }
        size = 0;
    }

    @Nullable
    public String value(int position) {
        return values[position];
    }

    /** Where the path begins in the endpoint, in every form of it. */
    public int pathOfEndpoint() {
        return path;
    }

    /** The number of positions that have a value. */
    public int size() {
        return size;
    }

    /** The position that was filled as the {@code index}th. */
    public int position(int index) {
        return filled[index];
    }

    /** The hash that an index compares at a position with a value: of an endpoint its path, of an address its bits. */
    public int indexHash(int position) {
        String value = values[position];
        if (position == ENDPOINT || value == null) {
            return pathHash;
        }
        if (position == LOWER_CASE_ENDPOINT) {
            return lowerCasePathHash;
        }
        if (addresses.get(position)) {
            return address.read(value) ? address.bitsHash() : 0;
        }
        return value.hashCode();
    }

    /** Whether an index entry with {@code text} at {@code position} matches this descriptor. */
    public boolean indexEquals(int position, String text) {
        String value = values[position];
        if (value == null) {
            return false;
        }
        if (position == ENDPOINT || position == LOWER_CASE_ENDPOINT) {
            return value.length() - path == text.length() && value.startsWith(text, path);
        }
        return addresses.get(position) ? address.read(value) && address.bitsEqual(text) : value.equals(text);
    }

    @Override
    public String toString() {
        return Arrays.toString(values);
    }
}
