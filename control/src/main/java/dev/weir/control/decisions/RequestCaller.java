package dev.weir.control.decisions;

import dev.weir.Request;
import dev.weir.internal.match.pattern.Attributes;
import java.util.Set;

/**
 * Finds the caller of a request: the value by which its rules most likely tell callers apart. That is an entry that some
 * rule of its domain counts by; a user or a key rather than another attribute, and an address last.
 */
public final class RequestCaller {
    private static final int NONE = -1;

    private RequestCaller() {}

    /**
     * The index of the entry that names the caller; negative if there is none.
     *
     * @param counted the attributes that rules of the domain count by
     * @param plain attributes that name no caller, such as the endpoint
     */
    public static int find(Request request, Set<String> counted, Set<String> plain) {
        int descriptors = request.descriptors();
        int best = NONE;
        int rank = Integer.MAX_VALUE;
        for (int i = 0, end = descriptors == 0 ? 0 : request.end(descriptors - 1); i < end; i++) {
            String key = request.key(i);
            int own = rank(key);
            boolean better = own < rank || (own == rank && best >= 0 && key.compareTo(request.key(best)) < 0);
            if (better && isCounted(key, counted) && !IdentityHash.isPlain(key, plain)) {
                best = i;
                rank = own;
            }
        }
        return best;
    }

    private static boolean isCounted(String key, Set<String> counted) {
        return counted.contains(key)
                || (key.equals(Attributes.CLIENT_ID) && counted.stream().anyMatch(Attributes::isClient));
    }

    private static int rank(String key) {
        if (Attributes.isCaller(key)) {
            return 0;
        }
        return Attributes.isAddress(key) ? 2 : 1;
    }
}
